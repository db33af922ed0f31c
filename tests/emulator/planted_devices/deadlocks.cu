// Launches that wait for ever. `HERE deadlock name` is the line that waits.
#include "../silent_devices/devices.cuh"

namespace {

__global__ void waits(int* flag) {
  while (*(volatile int*)flag == 0) {  // HERE deadlock synchronized: device 1 has no launch
  }
}

__global__ void waits_for_copy(int* flag) {
  while (*(volatile int*)flag == 0) {  // HERE deadlock copy: the host waits in cudaMemcpy
  }
}

__global__ void meets(int* mine, int* theirs) {
  *(volatile int*)theirs = 1;
  while (*(volatile int*)mine == 0) {  // HERE deadlock one_device: in the same stream
  }
}

__global__ void many(int* flags) {
  if (threadIdx.x == 0) *(volatile int*)&flags[gridDim.x - 1 - blockIdx.x] = 1;
  while (*(volatile int*)&flags[blockIdx.x] == 0) {  // HERE deadlock too_many: have no room
  }
}

__global__ void resets(int* mine, int* theirs) {
  *(volatile int*)theirs = 1;
  while (*(volatile int*)mine == 0) {  // HERE deadlock reset
  }
  *(volatile int*)theirs = 0;
}

__global__ void raises(int* flag) {
  *(volatile int*)flag = 1;
}

}  // namespace

extern "C" void plant_synchronized() {
  Streams streams;
  int* flag = memory_on<int>(0, 1);
  cudaSetDevice(0);
  waits<<<1, 1, 0, streams.of[0]>>>(flag);
  cudaStreamSynchronize(streams.of[0]);
  cudaSetDevice(1);
  raises<<<1, 1, 0, streams.of[1]>>>(flag);
}

/// The default stream waits for the stream with the kernel, which is a blocking one.
extern "C" void plant_copy() {
  Streams streams(cudaStreamDefault);
  int *flag = memory_on<int>(0, 1), *x = memory_on<int>(0, 1);
  const int one = 1;
  cudaSetDevice(0);
  waits_for_copy<<<1, 1, 0, streams.of[0]>>>(flag);
  cudaMemcpy(x, &one, sizeof one, cudaMemcpyHostToDevice);
  cudaSetDevice(1);
  raises<<<1, 1, 0, streams.of[1]>>>(flag);
}

/// cudaSetDevice(1) is missing: both launches are in one stream.
extern "C" void plant_one_device() {
  int *a = memory_on<int>(0, 1), *b = memory_on<int>(0, 1);
  meets<<<1, 1>>>(a, b);
  meets<<<1, 1>>>(b, a);
  cudaDeviceSynchronize();
}

/// The first block waits for the last one, for which the device has no room.
extern "C" void plant_too_many() {
  int* flags = memory_on<int>(0, 1000);
  many<<<1000, 1024>>>(flags);
  cudaDeviceSynchronize();
}

/// A device that is ahead takes back what the other has not seen yet.
extern "C" void plant_reset() {
  Streams streams;
  int* flags[2] = {memory_on<int>(0, 1), memory_on<int>(1, 1)};
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    resets<<<1, 1, 0, streams.of[device]>>>(flags[device], flags[1 - device]);
  }
  streams.synchronize();
}
