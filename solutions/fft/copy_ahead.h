#pragma once
// Rung 8's kernel: a block takes one transform after the other, and the next one is on its way.

#include "../common/hopper.h"
#include "../common/resident_blocks.h"
#include "radix16.h"

// Of sums, too, as in padded.h.
__device__ constexpr int padded32(int i) {
  return i + i / 32;
}

template <int N>
__global__ void __launch_bounds__(N / POINTS)
    copy_ahead_kernel(const float2* signal, float2* spectrum, int batch) {
  constexpr int THREADS = N / POINTS;
  extern __shared__ __align__(128) float2 arrived[];  // [N], then half-exchange, then the barrier
  float* half = reinterpret_cast<float*>(arrived + N);
  Barrier* full = reinterpret_cast<Barrier*>(half + N + N / 32);
  const int j = threadIdx.x;
  const auto start_copy = [&](int row) {
    if (j != 0 || row >= batch) return;
    arrive_expecting(full, N * sizeof(float2));
    load_bytes(arrived, signal + static_cast<size_t>(row) * N, N * sizeof(float2), full);
  };
  if (j == 0) {
    init(full, 1);
    fence_init();
  }
  __syncthreads();
  start_copy(blockIdx.x);
  int parity = 0;
  for (int row = blockIdx.x; row < batch; row += gridDim.x) {
    wait(full, parity);
    parity ^= 1;
    float2 v[POINTS];
#pragma unroll
    for (int m = 0; m < POINTS; ++m) v[m] = arrived[j + m * THREADS];
    __syncthreads();
    start_copy(row + gridDim.x);
    transform_by_threads<N>(v, j, [&](float2(&v)[POINTS], int begin, int stride) {
#pragma unroll
      for (int m = 0; m < POINTS; ++m) half[padded32(begin) + padded32(m * stride)] = v[m].x;
      __syncthreads();
#pragma unroll
      for (int m = 0; m < POINTS; ++m) v[m].x = half[padded32(j) + padded32(m * THREADS)];
      __syncthreads();
#pragma unroll
      for (int m = 0; m < POINTS; ++m) half[padded32(begin) + padded32(m * stride)] = v[m].y;
      __syncthreads();
#pragma unroll
      for (int m = 0; m < POINTS; ++m) v[m].y = half[padded32(j) + padded32(m * THREADS)];
      __syncthreads();
    });
    const size_t first = static_cast<size_t>(row) * N + j;
#pragma unroll
    for (int m = 0; m < POINTS; ++m) spectrum[first + m * THREADS] = v[m];
  }
}

template <int N>
void launch_copy_ahead(const float2* signal, float2* spectrum, int batch) {
  constexpr int THREADS = N / POINTS;
  constexpr int BYTES = N * sizeof(float2) + (N + N / 32) * sizeof(float) + sizeof(Barrier);
  static const int resident = resident_blocks(copy_ahead_kernel<N>, THREADS, BYTES);
  copy_ahead_kernel<N><<<min(batch, resident), THREADS, BYTES>>>(signal, spectrum, batch);
}
