#pragma once
// Whether the timed calls did the work: some of their outputs beside those of a trusted kernel.

#include <cstdint>
#include <vector>

#include "problems/spec/array.h"
#include "worker/gpu/measure.h"
#include "worker/gpu/timed_buffers.h"

namespace kata {

/// Elements of the outputs, as they were behind the end of a timed call.
struct Witness {
  std::uint64_t seed = 0;      ///< of the call
  std::vector<Array> outputs;  ///< TimedBuffers::picked()
};

/// Compares some of the witnesses of each kernel with what the fastest rung computes from the same
/// inputs. A kernel that differs gets an error. `witnesses` has one list for each kernel.
void check_samples(std::vector<Timed>& all, const std::vector<std::vector<Witness>>& witnesses,
                   const TimedBuffers& buffers, const Conditions& conditions);

}  // namespace kata
