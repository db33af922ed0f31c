#pragma once
// Rung 6: a transform of n = n1 n2 points as a matrix of n1 rows and n2 columns, in two passes.
//
// Point j is in row j / n2 and column j % n2. The first pass transforms each column, which gives row
// k1 of the result in row k1, and multiplies the element in column c by exp(-2 pi i k1 c / n). The
// second transforms each row; its element k2 is X[k1 + n1 k2]: the matrix of the result is
// transposed. A block takes 8 columns or 8 rows, so that neighbours fill 64 bytes.

#include "../common/scratch.h"
#include "padded.h"

constexpr int PANEL = 8;  // columns or rows per block

// From one column of a panel to the next: 2 more than a multiple of 16, so that a half warp, 2
// points of 8 columns, meets different banks.
__host__ __device__ constexpr int panel_pitch(int points) {
  return (padded(points) + 15) / 16 * 16 + 2;
}

// N points in each column or row, `others` columns or rows; a block is one panel.
template <int N, bool IS_FIRST>
__global__ void __launch_bounds__(PANEL* N / POINTS)
    panel_kernel(const float2* from, float2* to, int others) {
  constexpr int THREADS = N / POINTS;
  extern __shared__ float2 shared[];
  const int c = threadIdx.x % PANEL, j = threadIdx.x / PANEL;
  const int panels = others / PANEL;
  const int other = blockIdx.x % panels * PANEL + c;
  const size_t matrix = static_cast<size_t>(blockIdx.x / panels) * N * others;
  const float2* x = from + matrix + (IS_FIRST ? other : other * N);
  const int stride = IS_FIRST ? others : 1;
  float2 v[POINTS];
#pragma unroll
  for (int m = 0; m < POINTS; ++m) v[m] = x[(j + m * THREADS) * stride];
  float2* points = shared + c * panel_pitch(N);
  transform_by_threads<N>(v, j, [&](float2(&v)[POINTS], int begin, int step) {
    exchange_padded<THREADS>(points, v, j, begin, step, [] { __syncthreads(); });
  });
  if (IS_FIRST) {  // the root of row j + m THREADS is that of row j times a power
    const float2 w = root(other * j, N * others);
#pragma unroll
    for (int m = 0; m < POINTS; ++m) v[m] = v[m] * w;
    multiply_by_powers(v, root(other * THREADS, N * others));
  }
  float2* y = to + matrix + other;
#pragma unroll
  for (int m = 0; m < POINTS; ++m) y[(j + m * THREADS) * others] = v[m];
}

template <bool IS_FIRST>
void launch_panels(const float2* from, float2* to, int n, int others, int batch) {
  with_length(n, [&](auto length) {
    constexpr int N = decltype(length)::value;
    if constexpr (N >= 128 && N <= 1024) {
      constexpr int BYTES = PANEL * panel_pitch(N) * sizeof(float2);
      const auto kernel = panel_kernel<N, IS_FIRST>;
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
      kernel<<<batch * (others / PANEL), PANEL * N / POINTS, BYTES>>>(from, to, others);
    }
  });
}

constexpr int GROUP_POINTS = 1 << 21;  // of all transforms of a group of rung 7

// n from 2^14 to 2^20; `group` transforms at a time, with scratch memory for these.
inline void launch_two_passes(const float2* signal, float2* spectrum, int n, int batch, int group) {
  static Scratch<float2> scratch;
  float2* between = scratch.get(static_cast<size_t>(n) * min(group, batch));
  int n2 = 128;
  while (n2 * n2 * 2 < n) n2 *= 2;
  const int n1 = n / n2;
  for (int first = 0; first < batch; first += group) {
    const int count = min(group, batch - first);
    const size_t at = static_cast<size_t>(first) * n;
    launch_panels<true>(signal + at, between, n1, n2, count);
    launch_panels<false>(between, spectrum + at, n2, n1, count);
  }
}
