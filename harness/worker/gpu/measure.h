#pragma once
// The timing loop: contestants side by side, one sample of each in turn.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "timing/schedule.h"
#include "timing/table.h"

namespace kata {

/// Empties the L2 by writing to memory twice its size, so that no contestant finds its inputs
/// there.
struct L2Flush {
  void* memory;
  std::size_t bytes;

  void operator()() const { cudaMemsetAsync(memory, 0x55, bytes); }
};

/// Something that can be enqueued on the default stream again and again.
struct Timed {
  Measured measured;
  std::function<void()> call;
  std::function<void()> restore = {};  ///< before each call, outside the timed region; may be empty
};

/// To be told whose turn it is: TimeEvents::turn, which also restarts the watchdog.
using Turn = std::function<void(const std::string& what)>;

/// Warms each of them up, then fills `samples_us` of all that have no `error`. One that fails gets
/// one and is left out; if it takes the device down, all get one.
void measure(std::vector<Timed>& all, const L2Flush& flush, const Effort& effort,
             const cudaDeviceProp& device, const Turn& turn);

}  // namespace kata
