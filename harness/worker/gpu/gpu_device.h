#pragma once
// The GPU as the judge's device.

#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "judge/device.h"
#include "support/result.h"

namespace kata {

/// The first GPU that CUDA shows, or why there is none.
Result<cudaDeviceProp> open_gpu();

class GpuDevice : public Device {
 public:
  /// Without guard zones a buffer is an allocation of its own, and compute-sanitizer sees every
  /// access outside it. `occupy`, if any, fills the GPU with work on a stream of its own.
  explicit GpuDevice(const cudaDeviceProp& properties, bool with_guard_zones = true,
                     std::function<void()> occupy = {})
      : properties_(properties), with_guard_zones_(with_guard_zones), occupy_(std::move(occupy)) {}
  ~GpuDevice() override;

  std::string name() const override { return properties_.name; }
  bool runs_large_cases() const override { return true; }
  void* allocate(Type type, std::size_t count, const std::string& name) override;
  void release(void* buffer) override;
  void upload(void* buffer, const void* host, std::size_t bytes) override;
  void download(void* host, const void* buffer, std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void poison(void* buffer, std::size_t bytes, std::uint32_t word) override;
  bool delay_kernels() override;
  int devices() const override;
  int current() const override;
  void make_current(int device) override;
  CUstream_st* stream(int device) override;
  void queue_copy(int device, void* to, const void* from, std::size_t bytes,
                  const char* name) override;
  std::optional<Finding> synchronize() override;
  bool usable() const override { return usable_; }
  std::vector<Finding> check_guards() override;
  std::vector<HostCopy> take_host_copies() override;

 private:
  /// One cudaMalloc: guard zone, the elements that a candidate sees, guard zone.
  struct Buffer {
    std::string name;         ///< the tensor's
    Type type;                ///< of its elements
    std::size_t count;        ///< elements in the middle
    std::size_t guard_bytes;  ///< on either side
    std::size_t number;       ///< of the allocations so far: decides what they hold
  };

  cudaDeviceProp properties_;
  bool with_guard_zones_;
  std::function<void()> occupy_;
  bool usable_ = true;
  std::size_t allocated_ = 0;
  std::map<std::byte*, Buffer> buffers_;
  std::vector<cudaStream_t> streams_ = {};  ///< empty as long as nothing uses several devices
};

}  // namespace kata
