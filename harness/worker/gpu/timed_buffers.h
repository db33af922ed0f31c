#pragma once
// The tensors of one timed size in device memory. Each call gets inputs that no call before it has
// had, and a few elements of its outputs are kept.

#include <cstdint>
#include <vector>

#include "problems/spec/problem.h"
#include "support/result.h"
#include "worker/gpu/ceilings.h"
#include "worker/gpu/cuda_memory.h"

namespace kata {

/// How a tensor gets new contents.
enum class Renewal {
  poison,  ///< an output: NaN, or -1
  fill,    ///< floats from a generator
  gather,  ///< elements drawn from a pool of 2^20
  mix,     ///< each row from one of two drawn tensors
  scale,   ///< one of two drawn tensors, times a factor: where inputs depend on one another
  copy,    ///< one of two drawn tensors
};

/// Device memory of one tensor, or of its part on one of several devices.
struct DeviceTensor {
  const Parameter* parameter = nullptr;
  int device = 0;
  std::size_t count = 0;  ///< elements
  std::size_t rows = 1;   ///< of its first dimension
  Renewal renewal = Renewal::poison;
  DeviceArray<std::byte> memory = nullptr;
  std::vector<DeviceArray<std::byte>> drawn = {};  ///< what the contents are made of
  DeviceArray<std::byte> picked = nullptr;         ///< of an output

  std::size_t bytes() const { return count * size_of(parameter->type); }
  bool is_drawn() const { return parameter->kind != Parameter::Kind::output; }
  bool is_compared() const { return parameter->kind != Parameter::Kind::input; }
};

class TimedBuffers {
 public:
  /// Elements of each output that are looked at after a call.
  static constexpr int picks = 1024;

  /// An Error if the shape does not fit into the GPU's free memory.
  static Result<TimedBuffers> make(const Problem& problem, const Shape& shape, std::uint64_t seed,
                                   const CeilingKernels& kernels);

  const Arguments& arguments() const { return arguments_; }

  /// New inputs, which depend on the seed alone, and poisoned outputs. Waits until all is there: a
  /// candidate's own stream would not, nor those of several devices.
  void renew(std::uint64_t seed) const;

  /// Enqueues a copy of some elements of each output: which ones depends on the seed alone. Waits
  /// for the streams of several devices first.
  void enqueue_picks(std::uint64_t seed) const;

  /// The tensor of one output or in-out buffer, or of a device's part of it, in their order.
  const Parameter& compared(std::size_t output) const;

  /// What enqueue_picks() has copied, one array for each of these.
  std::vector<Array> picked() const;

 private:
  void renew(const DeviceTensor& tensor, std::uint64_t tensor_seed, std::uint64_t call_seed) const;

  /// Room for a tensor, or its part on a device. False if there is none.
  bool add(DeviceTensor tensor, const std::vector<Array>& contents);

  CeilingKernels kernels_{};
  std::vector<DeviceTensor> tensors_;      ///< in the order of the signature, their parts by device
  std::vector<std::vector<void*>> parts_;  ///< where they are: by tensor and device
  std::size_t devices_ = 1;
  Arguments arguments_;
};

}  // namespace kata
