#pragma once
// Owners of what the CUDA runtime hands out.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

namespace kata {

struct FreeDeviceMemory {
  void operator()(void* memory) const { cudaFree(memory); }
};
using DeviceFloats = std::unique_ptr<float, FreeDeviceMemory>;

/// `count` floats of device memory, or null when there is not enough.
inline DeviceFloats allocate_floats(std::size_t count) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, count * sizeof(float)) != cudaSuccess) {
    cudaGetLastError();  // or the candidate's next launch would seem to have failed
    return nullptr;
  }
  return DeviceFloats(static_cast<float*>(memory));
}

struct DestroyEvent {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using Event = std::unique_ptr<CUevent_st, DestroyEvent>;

inline Event create_event() {
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  return Event(event);
}

}  // namespace kata
