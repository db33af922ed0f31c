// Fault: the rank stays k in every pass, although larger bins have taken places.
#include <cuda_runtime.h>

struct State {
  unsigned threshold, rank, found;
};

__device__ unsigned key_of(float value) {
  const unsigned bits = __float_as_uint(value);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

__device__ float float_of(unsigned key) {
  return __uint_as_float(key >> 31 ? key & 0x7fffffffu : ~key);
}

// One block: four digits of 8 bits.
__global__ void find_threshold(const float* x, State* state, int n, int k) {
  __shared__ unsigned counts[256];
  __shared__ unsigned threshold, rank;
  const int tid = threadIdx.x;
  if (tid == 0) threshold = 0, rank = k;
  for (int shift = 24; shift >= 0; shift -= 8) {
    counts[tid] = 0;
    __syncthreads();
    for (int i = tid; i < n; i += 256) {
      const unsigned key = key_of(x[i]);
      if (shift == 24 || (key ^ threshold) >> (shift + 8) == 0)
        atomicAdd(&counts[key >> shift & 255], 1u);
    }
    __syncthreads();
    unsigned larger = 0;
    for (int d = tid + 1; d < 256; ++d) larger += counts[d];
    const unsigned old_rank = rank;
    __syncthreads();
    if (larger < old_rank && old_rank <= larger + counts[tid]) {
      threshold |= unsigned(tid) << shift;
      rank = old_rank;
    }
    __syncthreads();
  }
  if (tid == 0) *state = {threshold, rank, 0};
}

__global__ void collect(const float* x, float* y, State* state, int n, int k) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const unsigned key = key_of(x[i]);
  if (key > state->threshold) y[atomicAdd(&state->found, 1u)] = x[i];
}

__global__ void fill(float* y, const State* state, int k) {
  for (int i = state->found + threadIdx.x; i < k; i += 32) y[i] = float_of(state->threshold);
}

// One block: an exchange sort of y.
__global__ void sort(float* y, int k) {
  for (int step = 0; step < k; ++step) {
    for (int i = 2 * threadIdx.x + step % 2; i + 1 < k; i += 2 * blockDim.x) {
      if (y[i] < y[i + 1]) {
        const float smaller = y[i];
        y[i] = y[i + 1];
        y[i + 1] = smaller;
      }
    }
    __syncthreads();
  }
}

extern "C" void topk(const float* x, float* y, int n, int k) {
  State* state;
  cudaMalloc(&state, sizeof(State));
  find_threshold<<<1, 256>>>(x, state, n, k);
  collect<<<(n + 255) / 256, 256>>>(x, y, state, n, k);
  fill<<<1, 32>>>(y, state, k);
  sort<<<1, 256>>>(y, k);
  cudaFree(state);
}
