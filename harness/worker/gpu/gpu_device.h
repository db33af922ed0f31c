#pragma once
// The GPU as the judge's device.

#include <cuda_runtime_api.h>

#include <map>
#include <memory>

#include "judge/device.h"
#include "support/result.h"

namespace kata {

/// The first GPU that CUDA shows, or why there is none.
Result<cudaDeviceProp> open_gpu();

class GpuDevice : public Device {
 public:
  /// Without guard zones a buffer is an allocation of its own, and compute-sanitizer sees every
  /// access outside it.
  explicit GpuDevice(const cudaDeviceProp& properties, bool with_guard_zones = true)
      : properties_(properties), with_guard_zones_(with_guard_zones) {}
  ~GpuDevice() override;

  std::string name() const override { return properties_.name; }
  bool runs_large_cases() const override { return true; }
  float* allocate(std::size_t count, const std::string& name) override;
  void release(float* buffer) override;
  void upload(float* buffer, const float* host, std::size_t count) override;
  void download(float* host, const float* buffer, std::size_t count) override;
  void poison(float* buffer, std::size_t count) override;
  std::optional<Finding> synchronize() override;
  bool usable() const override { return usable_; }
  std::vector<Finding> check_guards() override;

 private:
  /// One cudaMalloc: guard zone, the floats that a candidate sees, guard zone.
  struct Buffer {
    std::string name;         ///< the tensor's
    std::size_t count;        ///< floats in the middle
    std::size_t guard_count;  ///< floats on either side
    std::size_t number;       ///< of the allocations so far: decides what they hold
  };

  cudaDeviceProp properties_;
  bool with_guard_zones_;
  bool usable_ = true;
  std::size_t allocated_ = 0;
  std::map<float*, Buffer> buffers_;
};

}  // namespace kata
