// Online softmax: one pass over the keys, and nothing is kept per key.
//
// A query carries its maximum m, its sum l of exp(s - m), and its unnormalised output. A tile that
// raises the maximum from m to m' scales l and the output by exp(m - m'). With that, any number of
// keys needs the same memory. Two parts merge by the same rule, each scaled to the larger maximum.
// The rung to reach in 30 minutes.
//
// Prediction: S no longer exists, which saves its four trips, about 60 us at 4096 x 4096 x 64.
// Shared loads per FMA are as before, one 16-byte load replaces four of the query's: 1.07 G x 2.25
// / 32 / 132 at 1.75 GHz = 330 us. Missed: rows of an odd pitch cannot be read 16 bytes at a time,
// so it is 3 loads: 435 us. The rest was not measured.
// Measured: 1124.8 us at 4096x4096x64, 5.8 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "row_softmax.h"

constexpr int BM = 16, BN = 32, MOST_D = 256;
constexpr int WARPS = 8, THREADS = 32 * WARPS, ROWS = BM / WARPS;  // rows of a warp

// `rows` rows of x[n, d] from `first` on, in a pitch that is odd; past the end they are 0.
__device__ void load_tile(float* tile, const float* x, int first, int rows, int n, int d) {
  for (int i = threadIdx.x; i < rows * d; i += THREADS) {
    const int row = first + i / d;
    tile[i / d * (d | 1) + i % d] = row < n ? x[static_cast<size_t>(row) * d + i % d] : 0.0f;
  }
}

__global__ void __launch_bounds__(THREADS)
    attention_kernel(const float* Q, const float* K, const float* V, float* O, int M, int N, int d,
                     float scale) {
  extern __shared__ float shared[];
  __shared__ float weights[BM][BN];
  const int pitch = d | 1;
  float* queries = shared;            // [BM][pitch]
  float* keys = queries + BM * pitch;  // [BN][pitch]
  float* values = keys + BN * pitch;   // [BN][pitch]
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = blockIdx.x * BM;
  load_tile(queries, Q, row0, BM, M, d);

  float max[ROWS], sum[ROWS] = {}, o[ROWS][MOST_D / 32] = {};  // columns lane, lane + 32, ...
  for (int r = 0; r < ROWS; ++r) max[r] = -CUDART_INF_F;
  for (int first = 0; first < N; first += BN) {
    __syncthreads();  // the tiles before are no longer needed
    load_tile(keys, K, first, BN, N, d);
    load_tile(values, V, first, BN, N, d);
    __syncthreads();

    float score[ROWS] = {};  // a lane per key
    for (int c = 0; c < d; ++c) {
      const float k = keys[lane * pitch + c];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) score[r] += queries[(warp * ROWS + r) * pitch + c] * k;
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const float s = first + lane < N ? scale * score[r] : -CUDART_INF_F;
      const float new_max = fmaxf(max[r], warp_max_all(s));  // finite: the tile has a key
      const float rescale = __expf(max[r] - new_max);        // 0 in the first tile
      const float weight = __expf(s - new_max);
      sum[r] = sum[r] * rescale + weight;  // of this lane's keys
#pragma unroll
      for (int i = 0; i < MOST_D / 32; ++i) o[r][i] *= rescale;
      max[r] = new_max;
      weights[warp * ROWS + r][lane] = weight;
    }
    __syncwarp();
    for (int key = 0; key < BN; ++key) {  // weights past the end are 0, and so are the values
#pragma unroll
      for (int i = 0; i < MOST_D / 32; ++i) {
        if (32 * i >= d) break;
        const float v = lane + 32 * i < d ? values[key * pitch + lane + 32 * i] : 0.0f;
#pragma unroll
        for (int r = 0; r < ROWS; ++r) o[r][i] += weights[warp * ROWS + r][key] * v;
      }
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const int row = row0 + warp * ROWS + r;
    const float total = warp_sum_all(sum[r]);
#pragma unroll
    for (int i = 0; i < MOST_D / 32; ++i) {
      const int col = lane + 32 * i;
      if (row < M && col < d) O[static_cast<size_t>(row) * d + col] = o[r][i] / total;
    }
  }
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  const int shared_bytes = (BM + 2 * BN) * (d | 1) * sizeof(float);
  cudaFuncSetAttribute(attention_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  attention_kernel<<<kata::ceil_div(M, BM), THREADS, shared_bytes>>>(Q, K, V, O, M, N, d,
                                                                     1.0f / sqrtf(d));
}
