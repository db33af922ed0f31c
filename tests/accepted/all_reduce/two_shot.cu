// Reduce-scatter into scratch memory, a meeting of all devices, and an all-gather by loads.
#include <kata/kata.h>

constexpr int blocks = 3, threads = 64;

struct Peers {
  const float* x[8];
  unsigned* flag[8];  // [blocks][8]: what peer h has reached, in block b
  float* part[8];
  int gpus, me;
};

__device__ void meet(const Peers& p, unsigned round) {
  __syncthreads();
  if (threadIdx.x < p.gpus) {
    __threadfence_system();
    volatile unsigned* to = p.flag[threadIdx.x] + blockIdx.x * 8 + p.me;
    *to = round;
    volatile unsigned* from = p.flag[p.me] + blockIdx.x * 8 + threadIdx.x;
    while (*from < round) {
    }
    __threadfence_system();
  }
  __syncthreads();
}

// Block b of each device reads what block b of the others has written, so their bounds are the same.
__global__ void two_shot(Peers p, float* y, int n, unsigned round) {
  const int share = (n + p.gpus - 1) / p.gpus;
  const int first = blockIdx.x * threads + threadIdx.x, stride = blocks * threads;
  meet(p, round + 1);
  for (int i = first; i < share && p.me * share + i < n; i += stride) {
    float sum = 0;
    for (int h = 0; h < p.gpus; ++h) sum += p.x[h][p.me * share + i];
    p.part[p.me][i] = sum;
  }
  meet(p, round + 2);
  for (int h = 0; h < p.gpus; ++h)
    for (int i = first; i < share && h * share + i < n; i += stride)
      y[h * share + i] = p.part[h][i];
  meet(p, round + 3);
}

extern "C" void all_reduce(const float* const* x, float* const* y, void* const* scratch, int n,
                           int gpus, const cudaStream_t* streams) {
  static unsigned round = 0;
  int before = 0;
  cudaGetDevice(&before);
  Peers p = {};
  p.gpus = gpus;
  for (int g = 0; g < gpus; ++g) {
    p.x[g] = x[g];
    p.flag[g] = static_cast<unsigned*>(scratch[g]);
    p.part[g] = static_cast<float*>(scratch[g]) + (1 << 14);
  }
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    p.me = g;
    two_shot<<<blocks, threads, 0, streams[g]>>>(p, y[g], n, round);
  }
  round += 3;
  cudaSetDevice(before);
}
