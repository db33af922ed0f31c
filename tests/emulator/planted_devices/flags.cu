// Kernels of two devices that wait for each other. `HERE kind name` is where plant_name has its one
// fault.
#include "../silent_devices/devices.cuh"

namespace {

struct Buffers {
  int* flag = memory_on<int>(1, 256);
  float *value = memory_on<float>(0, 64), *y = memory_on<float>(1, 64);
};

template <class Kernel>
void run_on_both(Kernel kernel, int blocks = 1, int threads = 1) {
  Streams streams;
  Buffers buffers;
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    kernel<<<blocks, threads, 0, streams.of[device]>>>(buffers.flag, buffers.value, buffers.y,
                                                       device);
  }
  streams.synchronize();
}

__global__ void no_reader_fence(int* flag, float* value, float* y, int device) {
  if (device == 0) {
    *value = 1;
    raise(flag, 1);
  } else {
    while (*(volatile int*)flag == 0) {
    }
    *y = *value;  // HERE race no_reader_fence
  }
}

__global__ void no_writer_fence(int* flag, float* value, float* y, int device) {
  if (device == 0) {
    *value = 1;
    *(volatile int*)flag = 1;
  } else {
    wait_for(flag, 1);
    *y = *value;  // HERE race no_writer_fence
  }
}

__global__ void before_barrier(int* flag, float* value, float* y, int device) {
  if (device == 0) {
    value[threadIdx.x] = 1;
    if (threadIdx.x == 0) raise(flag, 1);
    __syncthreads();
  } else {
    if (threadIdx.x == 0) wait_for(flag, 1);
    __syncthreads();
    y[threadIdx.x] = value[threadIdx.x];  // HERE race before_barrier
  }
}

}  // namespace

extern "C" void plant_no_reader_fence() {
  run_on_both(no_reader_fence);
}

extern "C" void plant_no_writer_fence() {
  run_on_both(no_writer_fence);
}

extern "C" void plant_before_barrier() {
  run_on_both(before_barrier, 1, 64);
}

namespace {

__global__ void read_peer(const float* x, float* y, int* mine, int* theirs) {
  raise(theirs, 1);
  wait_for(mine, 1);
  *y = *x;
}

__global__ void overwrite(float* x) {
  *x = 2;  // HERE race no_end: on device 0 writes
}

}  // namespace

/// Nothing says that the peer has read x, which the next kernel in the stream overwrites.
extern "C" void plant_no_end() {
  Streams streams;
  int* flags[2] = {memory_on<int>(0, 1), memory_on<int>(1, 1)};
  float* x = memory_on<float>(0, 1);
  float* y[2] = {memory_on<float>(0, 1), memory_on<float>(1, 1)};
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    read_peer<<<1, 1, 0, streams.of[device]>>>(x, y[device], flags[device], flags[1 - device]);
    if (device == 0) overwrite<<<1, 1, 0, streams.of[0]>>>(x);
  }
  streams.synchronize();
}
