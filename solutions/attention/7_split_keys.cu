// Split over the keys: several blocks share a tile of queries, and a second kernel merges them.
//
// Each block writes maximum, sum and unnormalised output of its keys. Merging scales each part by
// exp(its max - max of all): the same rule as between two tiles. The number of parts fills the
// chip once; more would only add to the merging.
//
// Prediction: 32 tiles of queries in 8 parts are 256 blocks on 264 places at 4096 x 4096 x 64. At
// 70 % of FFMA that is 95 us; the parts are 8.6 MB, written and read in L2, 5 us, and a second
// kernel starts in 2 us: 105 us.
// Measured: 147.5 us at 4096x4096x64, 44 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "copy_rows.h"
#include "merge_parts.h"

template <class T>
__global__ void __launch_bounds__(T::THREADS, 2)
    part_kernel(const float* Q, const float* K, const float* V, Parts parts, int keys_per_part,
                int M, int N, int d, float scale) {
  extern __shared__ float shared[];
  const T tile(shared);
  const int row0 = blockIdx.x * T::BM;
  const int begin = blockIdx.y * keys_per_part, end = min(begin + keys_per_part, N);
  copy_rows<T>(tile.keys, K, begin, end, d);
  copy_rows<T>(tile.values, V, begin, end, d);
  load_rows<T>(tile.queries, Q, row0, T::BM, M, d, scale);

  Rows<T> rows;
  clear(rows);
  for (int first = begin; first < end; first += T::BN) {
    __pipeline_wait_prior(1);
    __syncthreads();
    float score[T::TM][8] = {};
    multiply_keys(score, tile, d);
    __syncthreads();
    copy_rows<T>(tile.keys, K, first + T::BN, end, d);
    add_scores(rows, score, tile, end - first);
    __pipeline_wait_prior(1);
    __syncthreads();
    add_values(rows, tile);
    __syncthreads();
    copy_rows<T>(tile.values, V, first + T::BN, end, d);
  }
  __pipeline_wait_prior(0);

  const size_t first_row = static_cast<size_t>(blockIdx.y) * M;
  float one[T::TM];
#pragma unroll
  for (int i = 0; i < T::TM; ++i) {
    one[i] = 1.0f;
    const int row = row0 + threadIdx.x / 8 + 16 * i;
    const float sum = row_sum(rows, i);
    if (threadIdx.x % 8 == 0 && row < M) {
      parts.max[first_row + row] = rows.max[i];
      parts.sum[first_row + row] = sum;
    }
  }
  store_rows(parts.o + first_row * d, rows, one, row0, M, d);
}

template <class T>
void launch(const float* Q, const float* K, const float* V, float* O, int M, int N, int d) {
  int device = 0, processors = 1, blocks_per_sm = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaFuncSetAttribute(part_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       T::SHARED_BYTES);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, part_kernel<T>, T::THREADS,
                                                T::SHARED_BYTES);
  const int query_tiles = kata::ceil_div(M, T::BM), key_tiles = kata::ceil_div(N, T::BN);
  const int wanted = max(processors * blocks_per_sm / query_tiles, 1);
  const int tiles_per_part = kata::ceil_div(key_tiles, min(wanted, key_tiles));

  const Parts parts = make_parts(kata::ceil_div(key_tiles, tiles_per_part), M, d);
  part_kernel<T><<<dim3(query_tiles, parts.count), T::THREADS, T::SHARED_BYTES>>>(
      Q, K, V, parts, tiles_per_part * T::BN, M, N, d, 1.0f / sqrtf(d));
  merge_parts(parts, O, M, d);
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  if (d <= 64) {
    launch<RegisterTile<8, 64>>(Q, K, V, O, M, N, d);
  } else if (d <= 128) {
    launch<RegisterTile<4, 128>>(Q, K, V, O, M, N, d);
  } else {
    launch<RegisterTile<4, 256>>(Q, K, V, O, M, N, d);
  }
}
