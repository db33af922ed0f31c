#pragma once
// What a candidate on the CPU does without. On a GPU CUDA itself may need it.

namespace kata {

/// From now on this process starts no others (fork fails with EAGAIN), changes no files but those
/// in its working folder, and maps at most 64 GiB more than it has by now. Best effort: a system
/// without seccomp or Landlock lets it; the process group ends with the worker all the same.
void confine_candidate();

}  // namespace kata
