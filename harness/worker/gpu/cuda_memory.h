#pragma once
// Owners of what the CUDA runtime hands out.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

namespace kata {

struct FreeDeviceMemory {
  void operator()(void* memory) const { cudaFree(memory); }
};
template <class T>
using DeviceArray = std::unique_ptr<T, FreeDeviceMemory>;

/// `count` elements of device memory, or null when there is not enough.
template <class T>
DeviceArray<T> allocate_array(std::size_t count) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, count * sizeof(T)) != cudaSuccess) {
    cudaGetLastError();  // or the candidate's next launch would seem to have failed
    return nullptr;
  }
  return DeviceArray<T>(static_cast<T*>(memory));
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
