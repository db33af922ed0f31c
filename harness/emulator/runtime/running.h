#pragma once
// What this OS thread is doing: the first thing that every memory access looks at.

#include <cstdint>

#include "emulator/runtime/counts.h"

namespace kata::emulator {

class LoopPath;
class Worker;
struct Thread;

struct Running {
  Thread* thread;  ///< null: host code
  std::uintptr_t stack_low;
  std::uintptr_t shared_low;
  std::int64_t quantum;  ///< accesses until the thread must look around
  Worker* worker;
  LoopPath* path;  ///< null: requests are not counted
  /// What may let a spinning thread go on and `counts` does not show: stores to the module's own
  /// variables and readings of the clock, less the atomics that left memory as it was.
  std::int64_t progress;
  Counts counts;
};

extern __thread Running running __attribute__((tls_model("initial-exec")));

}  // namespace kata::emulator
