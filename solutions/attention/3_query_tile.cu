// A tile of 16 queries per block: each load of K and V serves all of them.
//
// K and V come to shared memory in tiles of 32 keys. The scores of 16 whole rows are still kept
// between the two passes: up to 2048 keys in shared memory, beyond that in device memory.
//
// Prediction: reads of K and V fall by 16, to 0.54 GB from L2. A warp has two queries. Each FMA of
// QK^T needs two shared loads, of PV one and a half: 1.07 G x 3.5 / 32 lanes / 132 SMs at 1.75 GHz
// = 510 us at 4096 x 4096 x 64. S makes four trips at 67 MB, mostly in L2: 600 us. At 128 columns
// rung 2 is faster: 2826 us, and 3166 us here (H200, 2026-11-23). Missed by a factor of 3; the
// reason was not measured.
// Measured: 1796.8 us at 4096x4096x64, 3.6 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "row_softmax.h"

constexpr int BM = 16, BN = 32, MOST_D = 256;
constexpr int WARPS = 8, THREADS = 32 * WARPS, ROWS = BM / WARPS;  // rows of a warp
constexpr int MOST_KEYS = 2048;

// rows [first, first + BN) of x[n, d]; rows past the end are 0. A pitch of d + 1 where d is even
// lets 32 lanes read 32 rows without bank conflicts.
__device__ void load_tile(float* tile, const float* x, int first, int n, int d, int pitch) {
  for (int i = threadIdx.x; i < BN * d; i += THREADS) {
    const int row = first + i / d;
    tile[i / d * pitch + i % d] = row < n ? x[static_cast<size_t>(row) * d + i % d] : 0.0f;
  }
}

__global__ void __launch_bounds__(THREADS)
    attention_kernel(const float* Q, const float* K, const float* V, float* O, float* long_rows,
                     int M, int N, int d, float scale) {
  extern __shared__ float shared[];
  const int pitch = d | 1;
  float* queries = shared;             // [BM][pitch]
  float* tile = queries + BM * pitch;  // [BN][pitch], of K, then of V
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = blockIdx.x * BM;
  float* scores = long_rows ? long_rows + static_cast<size_t>(row0) * N : tile + BN * pitch;

  for (int i = threadIdx.x; i < BM * d; i += THREADS) {
    const int row = min(row0 + i / d, M - 1);  // past the end the last query again, never stored
    queries[i / d * pitch + i % d] = scale * Q[static_cast<size_t>(row) * d + i % d];
  }
  for (int first = 0; first < N; first += BN) {
    __syncthreads();  // the tile before is no longer needed
    load_tile(tile, K, first, N, d, pitch);
    __syncthreads();
    for (int r = warp; r < BM; r += WARPS) {  // a lane per key
      float sum = 0.0f;
      for (int c = 0; c < d; ++c) sum += queries[r * pitch + c] * tile[lane * pitch + c];
      if (first + lane < N) scores[static_cast<size_t>(r) * N + first + lane] = sum;
    }
  }
  __syncwarp();
  for (int r = warp; r < BM; r += WARPS) row_softmax(scores + static_cast<size_t>(r) * N, N);

  float o[ROWS][MOST_D / 32] = {};  // columns lane, lane + 32, ...
  for (int first = 0; first < N; first += BN) {
    __syncthreads();
    load_tile(tile, V, first, N, d, pitch);
    __syncthreads();
    for (int key = 0; key < min(BN, N - first); ++key) {
      float p[ROWS];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        p[r] = scores[static_cast<size_t>(warp + r * WARPS) * N + first + key];
      }
#pragma unroll
      for (int i = 0; i < MOST_D / 32; ++i) {
        if (32 * i >= d) break;
        const float v = lane + 32 * i < d ? tile[key * pitch + lane + 32 * i] : 0.0f;
#pragma unroll
        for (int r = 0; r < ROWS; ++r) o[r][i] += p[r] * v;
      }
    }
  }
  for (int r = 0; r < ROWS; ++r) {
    const int row = row0 + warp + r * WARPS;
#pragma unroll
    for (int i = 0; i < MOST_D / 32; ++i) {
      const int col = lane + 32 * i;
      if (row < M && col < d) O[static_cast<size_t>(row) * d + col] = o[r][i];
    }
  }
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  static Scratch<float> scratch;
  const int blocks = kata::ceil_div(M, BM);
  const bool fits = N <= MOST_KEYS;
  float* long_rows = fits ? nullptr : scratch.get(static_cast<size_t>(blocks) * BM * N);
  const int shared_bytes = ((BM + BN) * (d | 1) + (fits ? BM * N : 0)) * sizeof(float);
  cudaFuncSetAttribute(attention_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  attention_kernel<<<blocks, THREADS, shared_bytes>>>(Q, K, V, O, long_rows, M, N, d,
                                                      1.0f / sqrtf(d));
}
