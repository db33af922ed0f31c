#pragma once
// The timing loop: kernels side by side, one sample of each in turn.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "timing/repetitions.h"
#include "timing/table.h"

namespace kata {

/// Enqueues what evicts everything from the L2, so that no kernel finds its inputs there.
using L2Flush = std::function<void()>;

/// Something that can be enqueued on the default stream again and again.
struct Timed {
  Measured measured;
  std::function<void()> call;
  std::function<void()> restore = {};  ///< before each call, outside the timed region; may be empty
};

/// Called when a kernel's turn begins: TimeEvents::turn, which also restarts the watchdog.
using Turn = std::function<void(const std::string& what)>;

/// Warms each of them up, then fills `samples_us` of all that have no `error`. One that fails gets
/// one and is left out; if it takes the device down, all get one.
void measure(std::vector<Timed>& all, const L2Flush& flush, const Effort& effort,
             const cudaDeviceProp& device, const Turn& turn);

}  // namespace kata
