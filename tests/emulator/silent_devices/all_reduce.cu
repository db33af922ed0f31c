// All-reduce of several devices by flags in each other's memory: nothing but these orders them.
#include "devices.cuh"

namespace {

constexpr int blocks = 3, threads = 64;

/// Of one device. A flag for each block and peer, which that peer raises to the number of the call.
struct Flags {
  int start[blocks][most_devices], middle[blocks][most_devices], end[blocks][most_devices];
};

struct Peers {
  const float* x[most_devices];
  float* part[most_devices];
  Flags* flags[most_devices];
};

/// Block b of this device meets block b of the others.
__device__ void meet(int (*set)[most_devices], int (*const* peers)[most_devices], int rank,
                     int ranks, int call) {
  __syncthreads();
  if (threadIdx.x < ranks) {
    raise(&peers[threadIdx.x][blockIdx.x][rank], call);
    wait_for(&set[blockIdx.x][threadIdx.x], call);
  }
  __syncthreads();
}

__global__ void one_shot(Peers peers, float* y, int n, int rank, int ranks, int call) {
  int (*start[most_devices])[most_devices], (*end[most_devices])[most_devices];
  for (int peer = 0; peer < ranks; ++peer) {
    start[peer] = peers.flags[peer]->start;
    end[peer] = peers.flags[peer]->end;
  }
  meet(start[rank], start, rank, ranks, call);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float sum = 0;
    for (int peer = 0; peer < ranks; ++peer) sum += peers.x[peer][i];
    y[i] = sum;
  }
  meet(end[rank], end, rank, ranks, call);
}

/// Each device sums its share, block by block, and all fetch the shares of the others.
__global__ void two_shot(Peers peers, float* y, int n, int rank, int ranks, int call) {
  int (*start[most_devices])[most_devices], (*middle[most_devices])[most_devices],
      (*end[most_devices])[most_devices];
  for (int peer = 0; peer < ranks; ++peer) {
    start[peer] = peers.flags[peer]->start;
    middle[peer] = peers.flags[peer]->middle;
    end[peer] = peers.flags[peer]->end;
  }
  const int share = n / ranks, stride = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  meet(start[rank], start, rank, ranks, call);
  for (int i = first; i < share; i += stride) {
    float sum = 0;
    for (int peer = 0; peer < ranks; ++peer) sum += peers.x[peer][rank * share + i];
    peers.part[rank][i] = sum;
  }
  meet(middle[rank], middle, rank, ranks, call);
  for (int owner = 0; owner < ranks; ++owner) {
    for (int i = first; i < share; i += stride) y[owner * share + i] = peers.part[owner][i];
  }
  meet(end[rank], end, rank, ranks, call);
}

__global__ void fill(float* x, int n, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

template <class Reduce>
void reduce_again_and_again(Reduce reduce) {
  constexpr int n = 480, calls = 12;
  const int ranks = device_count();
  Streams streams;
  Peers peers{};
  float *x[most_devices], *y[most_devices];
  for (int device = 0; device < ranks; ++device) {
    peers.x[device] = x[device] = memory_on<float>(device, n);
    y[device] = memory_on<float>(device, n);
    peers.part[device] = memory_on<float>(device, n);
    peers.flags[device] = memory_on<Flags>(device, 1);
  }
  for (int call = 1; call <= calls; ++call) {
    for (int device = 0; device < ranks; ++device) {
      cudaSetDevice(device);
      // It overwrites what peers have read in the call before.
      fill<<<(n + 127) / 128, 128, 0, streams.of[device]>>>(x[device], n, device + call);
      reduce<<<blocks, threads, 0, streams.of[device]>>>(peers, y[device], n, device, ranks, call);
    }
  }
  for (int device = 0; device < ranks; ++device) {
    cudaSetDevice(device);
    cudaMemsetAsync(x[device], 0, n * sizeof(float), streams.of[device]);
  }
  streams.synchronize();
  for (int device = 0; device < ranks; ++device) {
    float last = 0;
    cudaMemcpy(&last, y[device] + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    if (last != ranks * (ranks - 1) / 2 + ranks * calls) __builtin_trap();
  }
}

}  // namespace

extern "C" void silent_one_shot() {
  reduce_again_and_again(one_shot);
}

extern "C" void silent_two_shot() {
  reduce_again_and_again(two_shot);
}
