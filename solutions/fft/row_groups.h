#pragma once
// Rung 5's kernel: several transforms per block, so that a block has 256 threads.

#include "in_thread.h"
#include "padded.h"

template <int N>
struct RowGroup {
  static constexpr int THREADS = N / POINTS;  // per transform
  static constexpr int ROWS = THREADS < 256 ? 256 / THREADS : 1;
  static constexpr int BYTES = ROWS * padded(N) * sizeof(float2);
};

// Threads of other transforms need not wait where a transform's threads are in one warp.
template <int THREADS>
__device__ void wait_for_row() {
  if (THREADS <= 32) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

template <int N>
__global__ void __launch_bounds__(RowGroup<N>::ROWS * RowGroup<N>::THREADS)
    row_group_kernel(const float2* signal, float2* spectrum, int batch) {
  constexpr int THREADS = RowGroup<N>::THREADS, ROWS = RowGroup<N>::ROWS;
  extern __shared__ float2 shared[];
  const int j = threadIdx.x % THREADS, of_block = threadIdx.x / THREADS;
  const int row = blockIdx.x * ROWS + of_block;
  const bool exists = row < batch;  // if not, the thread still meets the others at barriers
  const size_t first = static_cast<size_t>(exists ? row : 0) * N + j;
  float2 v[POINTS];
#pragma unroll
  for (int m = 0; m < POINTS; ++m) v[m] = signal[first + m * THREADS];
  float2* points = shared + of_block * padded(N);
  transform_by_threads<N>(v, j, [&](float2(&v)[POINTS], int begin, int stride) {
    exchange_padded<THREADS>(points, v, j, begin, stride, wait_for_row<THREADS>);
  });
  if (!exists) return;
#pragma unroll
  for (int m = 0; m < POINTS; ++m) spectrum[first + m * THREADS] = v[m];
}

template <int N>
void launch_row_groups(const float2* signal, float2* spectrum, int batch) {
  using Group = RowGroup<N>;
  cudaFuncSetAttribute(row_group_kernel<N>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       Group::BYTES);
  const int blocks = kata::ceil_div(batch, Group::ROWS);
  row_group_kernel<N>
      <<<blocks, Group::ROWS * Group::THREADS, Group::BYTES>>>(signal, spectrum, batch);
}

// n at most 16384.
inline void launch_rows(const float2* signal, float2* spectrum, int n, int batch) {
  launch_by_length(signal, spectrum, n, batch, [&](auto length) {
    launch_row_groups<decltype(length)::value>(signal, spectrum, batch);
  });
}
