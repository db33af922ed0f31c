// Tiles and online softmax in float: one block per 16 queries, no scores in device memory.
//
// A query carries its maximum, its sum and its unnormalised output; a tile that raises the maximum
// from m to m' scales the other two by exp(m - m'). K and V come in tiles of 32 keys.
// The rung to reach in 30 minutes.
//
// Prediction: on CUDA cores. Per multiply-add about two shared loads and their share of everything
// else: rung 4 of `attention` has the same loops, a fifth of FFMA's 65 TFLOP/s. 68.7 GFLOP at
// 4 x 32 heads x 1024 x 128 take 5 ms.
// Measured: 4917.0 us at 4x32x1024x128x0, 1.6 % of the limit (H200, 2026-11-24)
#include <cuda_fp16.h>
#include <kata/kata.h>

#include "../attention/row_softmax.h"

constexpr int BM = 16, BN = 32;
constexpr int WARPS = 8, THREADS = 32 * WARPS, ROWS = BM / WARPS;  // rows of a warp

// `rows` rows of x[length, DIM] from `first` on, as floats; zeros past the end.
template <int DIM>
__device__ void load_tile(float (*tile)[DIM + 1], const __half* x, int first, int rows,
                          int length) {
  for (int i = threadIdx.x; i < rows * DIM; i += THREADS) {
    const int row = first + i / DIM, col = i % DIM;
    tile[i / DIM][col] =
        row < length ? __half2float(x[static_cast<size_t>(row) * DIM + col]) : 0.0f;
  }
}

template <int DIM>
__global__ void __launch_bounds__(THREADS)
    flash_kernel(const __half* Q, const __half* K, const __half* V, __half* O, int length,
                 int causal, float scale) {
  __shared__ float queries[BM][DIM + 1], tile[BN][DIM + 1], weights[BM][BN];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int blocks = kata::ceil_div(length, BM);
  const int row0 = blockIdx.x % blocks * BM;
  const size_t head = static_cast<size_t>(blockIdx.x / blocks) * length * DIM;
  load_tile<DIM>(queries, Q + head, row0, BM, length);

  float max[ROWS], sum[ROWS] = {}, o[ROWS][DIM / 32] = {};  // columns lane, lane + 32, ...
  for (int r = 0; r < ROWS; ++r) max[r] = -CUDART_INF_F;
  for (int first = 0; first < length; first += BN) {
    __syncthreads();
    load_tile<DIM>(tile, K + head, first, BN, length);
    __syncthreads();
    float score[ROWS] = {};  // a lane per key
    for (int c = 0; c < DIM; ++c) {
#pragma unroll
      for (int r = 0; r < ROWS; ++r) score[r] += queries[warp * ROWS + r][c] * tile[lane][c];
    }
    __syncthreads();
    load_tile<DIM>(tile, V + head, first, BN, length);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const int key = first + lane, row = row0 + warp * ROWS + r;
      const bool visible = key < length && (!causal || key <= row);
      const float s = visible ? scale * score[r] : -CUDART_INF_F;
      const float new_max = fmaxf(max[r], warp_max_all(s));  // key 0 is visible: never -infinity
      const float rescale = __expf(max[r] - new_max), weight = __expf(s - new_max);
      max[r] = new_max;
      sum[r] = sum[r] * rescale + weight;  // of this lane's keys
#pragma unroll
      for (int i = 0; i < DIM / 32; ++i) o[r][i] *= rescale;
      weights[warp * ROWS + r][lane] = weight;
    }
    __syncthreads();
    for (int key = 0; key < BN; ++key) {
#pragma unroll
      for (int i = 0; i < DIM / 32; ++i) {
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
          o[r][i] += weights[warp * ROWS + r][key] * tile[key][lane + 32 * i];
        }
      }
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const int row = row0 + warp * ROWS + r;
    const float total = warp_sum_all(sum[r]);
#pragma unroll
    for (int i = 0; i < DIM / 32; ++i) {
      if (row < length) {
        O[head + static_cast<size_t>(row) * DIM + lane + 32 * i] = __float2half(o[r][i] / total);
      }
    }
  }
}

extern "C" void flash_attention(const __half* Q, const __half* K, const __half* V, __half* O,
                                int batch, int heads, int length, int dim, int causal) {
  const auto kernel = dim == 64 ? flash_kernel<64> : flash_kernel<128>;
  kernel<<<batch * heads * kata::ceil_div(length, BM), THREADS>>>(Q, K, V, O, length, causal,
                                                                  1.0f / sqrtf(dim));
}
