// What a block has in shared memory stays there while its kernel waits for that of another device,
// which uses the same variables.
#include "devices.cuh"

namespace {

constexpr int blocks = 2, threads = 64;

struct Peers {
  int* flags[most_devices];  ///< one for each block and peer
};

__device__ __noinline__ int& kept(int i) {
  __shared__ int values[threads];
  return values[i];
}

__global__ void keep(Peers peers, int* wrong, int rank, int ranks) {
  if (threadIdx.x < ranks) {
    raise(&peers.flags[threadIdx.x][blockIdx.x * most_devices + rank], 1);
    wait_for(&peers.flags[rank][blockIdx.x * most_devices + threadIdx.x], 1);
  }
  kept(threadIdx.x) = 100 * rank + threadIdx.x;  // before the peer's kernel, or after it
  __syncthreads();
  const int other = threads - 1 - threadIdx.x;
  if (kept(other) != 100 * rank + other) *wrong = 1;
}

}  // namespace

extern "C" void silent_shared_memory() {
  const int ranks = device_count();
  Streams streams;
  Peers peers{};
  int* wrong[most_devices];
  for (int device = 0; device < ranks; ++device) {
    peers.flags[device] = memory_on<int>(device, blocks * most_devices);
    wrong[device] = memory_on<int>(device, 1);
  }
  for (int device = 0; device < ranks; ++device) {
    cudaSetDevice(device);
    keep<<<blocks, threads, 0, streams.of[device]>>>(peers, wrong[device], device, ranks);
  }
  streams.synchronize();
  for (int device = 0; device < ranks; ++device) {
    int is_wrong = 0;
    cudaMemcpy(&is_wrong, wrong[device], sizeof is_wrong, cudaMemcpyDeviceToHost);
    if (is_wrong) __builtin_trap();
  }
}
