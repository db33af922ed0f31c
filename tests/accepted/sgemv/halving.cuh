#pragma once

constexpr int kThreads = 64;

template <typename T>
__device__ T block_sum(T value) {
  __shared__ T slots[kThreads];
  slots[threadIdx.x] = value;
  __syncthreads();
#pragma unroll
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) slots[threadIdx.x] += slots[threadIdx.x + half];
    __syncthreads();
  }
  return slots[0];
}
