// One thread computes one element of y: it walks along its row of A.
//
// Simple and right, but the 32 lanes of a warp read 32 rows, 4 * K bytes apart: 32 sectors per
// request where 4 would do. The other 7 floats of each sector are needed in the next 7 steps and
// come from L1 only if it still holds them.
//
// Prediction: a block of 256 rows needs 8 KiB of L1 at a time, which fits. At M = 4096 there are
// 4096 threads, 31 per SM, each with few loads in flight. Latency is the limit: a few percent of
// the bandwidth.
// Measured: 611.0 us at 4096x4096, 3.0 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 256;

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= M) return;
  const float* row_A = A + static_cast<size_t>(row) * K;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += row_A[k] * x[k];
  y[row] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  const int grid = kata::ceil_div(M, THREADS);
  sgemv_kernel<<<grid, THREADS>>>(A, x, y, M, K);
}
