#pragma once
// Rung 11's tiles of 16 TM queries and 64 keys, by blocks of 128 threads, and the merging of many
// parts. The arithmetic is that of rung 7 (register_tile.h).

#include <cuda_pipeline_primitives.h>

#include "merge_quads.h"
#include "register_tile.h"
#include "tile_slots.h"

// Starts to copy rows [first, first + COUNT) of x[n, d] in pieces of WIDTH floats; zeros past the
// ends.
template <class T, int COUNT, int WIDTH>
__device__ void copy_pieces(float* to, const float* x, int first, int n, int d) {
  constexpr int PER_ROW = T::D / WIDTH;
#pragma unroll 4
  for (int i = threadIdx.x; i < COUNT * PER_ROW; i += T::THREADS) {
    const int row = first + i / PER_ROW, col = i % PER_ROW * WIDTH;
    const bool exists = row < n && col < d;
    const float* const from = exists ? x + static_cast<size_t>(row) * d + col : x;
    __pipeline_memcpy_async(to + i / PER_ROW * T::PITCH + col, from, 4 * WIDTH,
                            exists ? 0 : 4 * WIDTH);
  }
}

template <class T, int COUNT>
__device__ void copy_rows(float* to, const float* x, int first, int n, int d) {
  if (d % 4 == 0) {
    copy_pieces<T, COUNT, 4>(to, x, first, n, d);
  } else {
    copy_pieces<T, COUNT, 1>(to, x, first, n, d);
  }
}

// The block's part of the output: the only one, or one of several.
template <class T>
__device__ void store_part(const Rows<T>& rows, const QuadParts& parts, float* O, int row0, int M,
                           int d) {
  const size_t first_row = static_cast<size_t>(blockIdx.y) * M;
  float factor[T::TM];
#pragma unroll
  for (int i = 0; i < T::TM; ++i) {
    const int row = row0 + threadIdx.x / 8 + 16 * i;
    const float sum = row_sum(rows, i);
    factor[i] = 1.0f / sum;
    if (parts.count == 1 || row >= M) continue;
    if (threadIdx.x % 8 == 0) {
      parts.max[first_row + row] = 1.44269504f * rows.max[i];
      parts.sum[first_row + row] = sum;
    }
#pragma unroll
    for (int c = 0; c < T::D / 8; c += 4) {
      const int col = c * 8 + threadIdx.x % 8 * 4;
      const float* const o = &rows.o[i][c];
      float* const to = parts.o + (first_row + row) * 4 * parts.quads + col;
      if (col < d) store4(to, {o[1], o[0], o[3], o[2]});
    }
  }
  if (parts.count == 1) store_rows(O, rows, factor, row0, M, d);
}

template <class T>
__global__ void __launch_bounds__(T::THREADS)
    small_kernel(const float* Q, const float* K, const float* V, QuadParts parts,
                 int tiles_per_part, float* O, int M, int N, int d, float scale) {
  extern __shared__ __align__(128) float shared[];
  const T tile(shared);
  const int row0 = blockIdx.x * T::BM;
  const int begin = blockIdx.y * tiles_per_part * T::BN;
  const int end = min(begin + tiles_per_part * T::BN, N);
  copy_rows<T, T::BM>(tile.queries, Q, row0, M, d);
  copy_rows<T, T::BN>(tile.keys, K, begin, end, d);
  __pipeline_commit();
  copy_rows<T, T::BN>(tile.values, V, begin, end, d);
  __pipeline_commit();

  Rows<T> rows;
  clear(rows);
  for (int first = begin; first < end; first += T::BN) {
    const int next = first + T::BN;
    __pipeline_wait_prior(1);
    __syncthreads();
    float score[T::TM][8] = {};
    multiply_keys(score, tile, d);
    __syncthreads();
    if (next < end) copy_rows<T, T::BN>(tile.keys, K, next, end, d);
    __pipeline_commit();
#pragma unroll
    for (int i = 0; i < T::TM; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) score[i][j] *= scale;
    }
    add_scores(rows, score, tile, end - first);
    __pipeline_wait_prior(1);
    __syncthreads();
    add_values(rows, tile);
    __syncthreads();
    if (next < end) copy_rows<T, T::BN>(tile.values, V, next, end, d);
    __pipeline_commit();
  }
  store_part(rows, parts, O, row0, M, d);
}

constexpr int MERGE_THREADS = 256;

// A thread per quad of the row, and as many groups of such threads as fit, which share the parts.
__global__ void __launch_bounds__(MERGE_THREADS)
    merge_row_kernel(QuadParts parts, float* O, int M, int d) {
  extern __shared__ float weights[];  // [parts.count]
  __shared__ Vec4 sums[MERGE_THREADS];
  __shared__ float warp_value[2][MERGE_THREADS / 32];
  const int row = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const size_t rows = M;
  float max = -CUDART_INF_F, sum = 0.0f;
  for (int p = threadIdx.x; p < parts.count; p += MERGE_THREADS) {
    max = fmaxf(max, parts.max[p * rows + row]);
  }
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, lanes));
  }
  if (lane == 0) warp_value[0][warp] = max;
  __syncthreads();
#pragma unroll
  for (int w = 0; w < MERGE_THREADS / 32; ++w) max = fmaxf(max, warp_value[0][w]);
  for (int p = threadIdx.x; p < parts.count; p += MERGE_THREADS) {
    weights[p] = exp2f(parts.max[p * rows + row] - max);
    sum += weights[p] * parts.sum[p * rows + row];
  }
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
  if (lane == 0) warp_value[1][warp] = sum;
  __syncthreads();

  const int groups = MERGE_THREADS / parts.quads;
  const int quad = threadIdx.x % parts.quads, group = threadIdx.x / parts.quads;
  Vec4 o = {};
  if (group < groups) {
#pragma unroll 8
    for (int p = group; p < parts.count; p += groups) {
      const Vec4 part = load4(parts.o + (p * rows + row) * 4 * parts.quads + 4 * quad);
#pragma unroll
      for (int c = 0; c < 4; ++c) o.at[c] += weights[p] * part.at[c ^ 1];
    }
  }
  sums[threadIdx.x] = o;
  __syncthreads();
  sum = 0.0f;
#pragma unroll
  for (int w = 0; w < MERGE_THREADS / 32; ++w) sum += warp_value[1][w];
  if (threadIdx.x >= d) return;
  float result = 0.0f;
  for (int g = 0; g < groups; ++g) {
    result += sums[g * parts.quads + threadIdx.x / 4].at[threadIdx.x % 4];
  }
  O[row * static_cast<size_t>(d) + threadIdx.x] = result / sum;
}

// A block per row where merge_quads would have less than one block for each multiprocessor.
inline void merge(const QuadParts& parts, float* O, int M, int d) {
  if (M * parts.quads < 128 * processors()) {
    merge_row_kernel<<<M, MERGE_THREADS, parts.count * sizeof(float)>>>(parts, O, M, d);
  } else {
    merge_quads(parts, O, M, d);
  }
}
