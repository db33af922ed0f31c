// Three kernels: scores, softmax of their rows, product with V.
//
// The five-minute answer: two matrix products and a softmax that can be tested one by one. S lies in
// device memory, M x N floats, and crosses it four times: written, read and written by the softmax,
// read by the last product. (The second read of a row comes from L2.)
//
// Prediction: at 4096 x 4096 x 64 S has 67 MB. Four passes are 268 MB, 62 us at 4.3 TB/s. But each
// product loads two floats per FMA: 1.07 G FMAs x 2 loads / 32 lanes / 132 SMs at 1.75 GHz = 290 us
// each, 640 us in all. Missed: in the first product each lane reads a row of K of its own, 32 cache
// lines per load at one per clock: 4.8 ms.
// Measured: 4887.3 us at 4096x4096x64, 1.3 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "row_softmax.h"

constexpr int COLS = 32, ROWS = 8;  // of a block

__global__ void scores_kernel(const float* Q, const float* K, float* S, int M, int N, int d,
                              float scale) {
  const int col = blockIdx.x * COLS + threadIdx.x;
  const int row = blockIdx.y * ROWS + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int c = 0; c < d; ++c) {
    sum += Q[static_cast<size_t>(row) * d + c] * K[static_cast<size_t>(col) * d + c];
  }
  S[static_cast<size_t>(row) * N + col] = scale * sum;
}

__global__ void softmax_kernel(float* S, int M, int N) {
  const int row = blockIdx.x * ROWS + threadIdx.y;
  if (row < M) row_softmax(S + static_cast<size_t>(row) * N, N);
}

__global__ void values_kernel(const float* S, const float* V, float* O, int M, int N, int d) {
  const int col = blockIdx.x * COLS + threadIdx.x;
  const int row = blockIdx.y * ROWS + threadIdx.y;
  if (row >= M || col >= d) return;
  float sum = 0.0f;
  for (int key = 0; key < N; ++key) {
    sum += S[static_cast<size_t>(row) * N + key] * V[static_cast<size_t>(key) * d + col];
  }
  O[static_cast<size_t>(row) * d + col] = sum;
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  static Scratch<float> scratch;
  float* S = scratch.get(static_cast<size_t>(M) * N);
  const dim3 block(COLS, ROWS);
  const int row_blocks = kata::ceil_div(M, ROWS);
  scores_kernel<<<dim3(kata::ceil_div(N, COLS), row_blocks), block>>>(Q, K, S, M, N, d,
                                                                      1.0f / sqrtf(d));
  softmax_kernel<<<row_blocks, block>>>(S, M, N);
  values_kernel<<<dim3(kata::ceil_div(d, COLS), row_blocks), block>>>(S, V, O, M, N, d);
}
