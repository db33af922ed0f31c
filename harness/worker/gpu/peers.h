#pragma once
// The devices of one machine, for operators that use several.

#include <cuda_runtime_api.h>

#include <vector>

#include "worker/gpu/cuda_memory.h"

namespace kata {

int device_count();

/// Gives each device access to the memory of all others, as far as they are linked, and makes a
/// stream on each that waits for no other. The current device stays.
std::vector<cudaStream_t> open_devices();

/// Waits for all work on the first so many devices, and returns the first error.
cudaError_t finish_devices(std::size_t count);

/// Makes a device current, and the one before it at its end.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    cudaGetDevice(&before_);
    is_other_ = device != before_;
    if (is_other_) cudaSetDevice(device);
  }
  ~OnDevice() {
    if (is_other_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool is_other_ = false;
};

/// Holds back streams of several devices until all of their work is enqueued, so that they begin at
/// the same time and do not wait for the host.
class Gate {
 public:
  /// A kernel that waits until *opened is `number`, or for a tenth of a second.
  using Kernel = void (*)(const volatile unsigned* opened, unsigned number, cudaStream_t stream);

  explicit Gate(Kernel kernel);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// What is enqueued next in the stream waits for open(). The stream's device is current.
  void close(cudaStream_t stream) const { kernel_(opened_, number_ + 1, stream); }
  void open();

 private:
  Kernel kernel_;
  volatile unsigned* opened_ = nullptr;  ///< memory of the host that devices read
  unsigned number_ = 0;
};

}  // namespace kata
