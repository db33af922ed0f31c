#pragma once
// How much of its time limit a process has used.

#include <sys/types.h>

namespace kata {

/// What the system says of a process, in seconds. Safe in a signal handler.
struct ProcessTimes {
  double clock_s = 0;
  double processor_s = 0;  ///< of all threads
  double waited_s = -1;    ///< in which its threads could run and had no processor; -1: unknown
  int threads = 1;
};
ProcessTimes times_of(pid_t process);

/// Processor time of a thread in the mean, or the clock's without the time in which others had the
/// processor: a busy machine is not held against a process, and one that sleeps comes to its end,
/// too. Where the system does not say who had the processor, the clock counts for a process that
/// hardly used any.
double spent_s(const ProcessTimes& before, const ProcessTimes& now);

}  // namespace kata
