#pragma once
// What a submission's processes take of memory and time.

#include <sys/types.h>

#include <cstdint>

namespace kata {

struct ProcessUse {
  std::uint64_t megabytes = 0;  ///< resident
  double processor_s = 0;       ///< also of those that have ended
  bool sleeps = false;          ///< no thread runs or waits for a processor or a disk
};

/// Of a process and of everything that it started.
ProcessUse use_of(pid_t process);

}  // namespace kata
