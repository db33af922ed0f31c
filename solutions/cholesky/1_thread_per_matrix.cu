// One thread factors one matrix, column by column.
//
// L_jj^2 is A_jj minus the squares to its left in row j. An entry below it is A_ij minus the dot
// product of rows i and j up to column j, divided by L_jj. A thread does this with two rows of its
// own matrix in global memory. The threads of a warp are n^2 floats apart: nothing is coalesced.
//
// Prediction: at 640 x 512 there are 640 threads, 5 per SM. n^3 / 6 = 22 million pairs of dependent
// loads from L1 or L2 at about 0.1 us each: 2.2 s. 65536 x 32 is 5500 pairs, 1 ms.
// Measured: 2412140.6 us at 640x512, 0.0 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

constexpr int THREADS = 32;

__global__ void matrix_kernel(const float* A, float* L, int batch, int n) {
  const int matrix = blockIdx.x * THREADS + threadIdx.x;
  if (matrix >= batch) return;
  A += static_cast<size_t>(matrix) * n * n;
  L += static_cast<size_t>(matrix) * n * n;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < j; ++i) L[i * n + j] = 0.0f;
    float inverse = 0.0f;
    for (int i = j; i < n; ++i) {
      float sum = A[i * n + j];
      for (int k = 0; k < j; ++k) sum -= L[i * n + k] * L[j * n + k];
      if (i == j) {
        const float root = sqrtf(sum);
        inverse = 1.0f / root;
        L[j * n + j] = root;
      } else {
        L[i * n + j] = sum * inverse;
      }
    }
  }
}

extern "C" void cholesky(const float* A, float* L, int batch, int n) {
  matrix_kernel<<<kata::ceil_div(batch, THREADS), THREADS>>>(A, L, batch, n);
}
