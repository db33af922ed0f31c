#pragma once
// How much memory a submission's processes take.

#include <sys/types.h>

#include <cstdint>

namespace kata {

/// Resident memory of a process and of everything that it started; 0 if there is no such process.
std::uint64_t megabytes_of(pid_t process);

}  // namespace kata
