// What the programs of several devices share. Nothing is freed: the tests reset the devices.
#pragma once

constexpr int most_devices = 4;

inline int device_count() {
  int count = 0;
  cudaGetDeviceCount(&count);
  return count;
}

template <class T>
T* memory_on(int device, int count) {
  cudaSetDevice(device);
  T* memory = nullptr;
  cudaMalloc(&memory, count * sizeof(T));
  cudaMemset(memory, 0, count * sizeof(T));
  cudaDeviceSynchronize();
  return memory;
}

/// A stream of each device, which all reach each other.
struct Streams {
  cudaStream_t of[most_devices];
  explicit Streams(unsigned flags = cudaStreamNonBlocking) {
    for (int device = 0; device < device_count(); ++device) {
      cudaSetDevice(device);
      cudaStreamCreateWithFlags(&of[device], flags);
      for (int peer = 0; peer < device_count(); ++peer)
        if (peer != device) cudaDeviceEnablePeerAccess(peer, 0);
    }
  }
  void synchronize() {
    for (int device = 0; device < device_count(); ++device) {
      cudaSetDevice(device);
      cudaStreamSynchronize(of[device]);
    }
  }
};

__device__ inline void raise(int* flag, int value) {
  __threadfence_system();
  *(volatile int*)flag = value;
}

__device__ inline void wait_for(const int* flag, int value) {
  while (*(const volatile int*)flag < value) {
  }
  __threadfence_system();
}
