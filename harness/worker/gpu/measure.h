#pragma once
// The timing loop: kernels side by side, one sample of each in turn.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "timing/repetitions.h"
#include "timing/table.h"
#include "timing/true_time.h"
#include "worker/gpu/peers.h"

namespace kata {

/// Enqueues what evicts everything from the L2, so that no kernel finds its inputs there.
using L2Flush = std::function<void()>;

/// Something that can be enqueued again and again, on the default stream or in the streams of
/// several devices. What surrounds a call is outside the timed region and may be empty; all calls
/// have different seeds.
struct Timed {
  Measured measured;
  std::function<void()> call;
  std::function<void(std::uint64_t seed)> before = {};  ///< makes the inputs, and waits for them
  std::function<void(std::uint64_t seed)> behind = {};  ///< enqueued right behind the call
  std::function<void(std::uint64_t seed)> after = {};   ///< when all has ended
  bool only_compared = false;                           ///< measure() leaves it alone
};

/// Called when a kernel's turn begins: TimeEvents::turn, which also restarts the watchdog.
using Turn = std::function<void(const std::string& what)>;

/// How the calls of a timing job are made.
struct Conditions {
  L2Flush flush;
  cudaDeviceProp device;
  Turn turn;
  std::uint64_t seed = 0;

  // Of operators on several devices. The time is the longest of any device.
  std::vector<cudaStream_t> streams = {};  ///< one on each; none: the default stream
  Gate* gate = nullptr;
  int calls_in_a_row = 1;  ///< of a sample, which is the time of one
};

/// Warms each of them up, then fills `samples_us` of all that have no `error`. One that fails gets
/// one and is left out; if it takes the device down, all get one.
void measure(std::vector<Timed>& all, const Effort& effort, const Conditions& conditions);

/// Calls on a GPU that has nothing to do and of which the host waits for each.
struct IdleCalls {
  IdleCall least;
  std::vector<double> events_us;
  int threads_left = 0;  ///< of the host, started by a candidate: most that ran at a return
};

/// `count` of them. One that fails is noted in one.measured.
IdleCalls measure_idle(Timed& one, int count, const Conditions& conditions);

}  // namespace kata
