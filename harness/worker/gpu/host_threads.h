#pragma once
// Threads of the host that a candidate starts.

namespace kata {

/// For whoever stands between the candidate and the C library: one was started, or has ended. Any
/// thread may call these.
void note_thread_started();
void note_thread_ended();

/// How many that were started run still.
int running_threads();

}  // namespace kata
