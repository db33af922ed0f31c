// One kernel, one block per query: the scores stay in shared memory.
//
// S never reaches device memory. A row of scores must fit on the chip for that: up to 12288 keys it
// lies in 48 KB of shared memory, longer rows fall back to device memory. All of K and V is read
// again for each query.
//
// Prediction: K and V are 2 MB at 4096 x 4096 x 64 and come from L2, 8 M N d bytes in all: 8.6 GB
// at about 5.5 TB/s = 1.6 ms. Worse than three kernels: a product needs tiles of queries, too.
// Measured: 2252.0 us at 4096x4096x64, 2.9 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "row_softmax.h"

constexpr int THREADS = 256, WARPS = THREADS / 32;
constexpr int MOST_KEYS = 12288 - THREADS - 256;  // the rest is for the query and partial sums

__global__ void __launch_bounds__(THREADS)
    attention_kernel(const float* Q, const float* K, const float* V, float* O, float* long_rows,
                     int N, int d, float scale) {
  extern __shared__ float short_row[];
  __shared__ float query[256];
  __shared__ float partial[THREADS];
  const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  const size_t row = blockIdx.x;
  float* scores = long_rows ? long_rows + row * N : short_row;

  if (tid < d) query[tid] = scale * Q[row * d + tid];
  __syncthreads();
  for (int key = warp; key < N; key += WARPS) {  // a warp per key: K is read along its rows
    float sum = 0.0f;
    for (int c = lane; c < d; c += 32) sum += query[c] * K[static_cast<size_t>(key) * d + c];
    sum = warp_sum_all(sum);
    if (lane == 0) scores[key] = sum;
  }
  __syncthreads();
  if (warp == 0) row_softmax(scores, N);
  __syncthreads();

  // A thread per column, and as many columns side by side as there are threads for.
  const int slices = THREADS / d, slice = tid / d, col = tid % d;
  float sum = 0.0f;
  if (slice < slices) {
    for (int key = slice; key < N; key += slices) {
      sum += scores[key] * V[static_cast<size_t>(key) * d + col];
    }
  }
  partial[tid] = sum;
  __syncthreads();
  if (tid < d) {
    float o = 0.0f;
    for (int s = 0; s < slices; ++s) o += partial[s * d + tid];
    O[row * d + tid] = o;
  }
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  static Scratch<float> scratch;
  const bool fits = N <= MOST_KEYS;
  float* long_rows = fits ? nullptr : scratch.get(static_cast<size_t>(M) * N);
  const size_t shared_bytes = fits ? N * sizeof(float) : 0;
  attention_kernel<<<M, THREADS, shared_bytes>>>(Q, K, V, O, long_rows, N, d, 1.0f / sqrtf(d));
}
