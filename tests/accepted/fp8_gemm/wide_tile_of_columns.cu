// A block makes 192 columns of four rows of C: a tile with two or three of B's scales. Rows of A are
// in shared memory as floats that have their scales.
#include <cuda_bf16.h>
#include <cuda_fp8.h>

constexpr int COLS = 192, ROWS = 4;

__global__ void product(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                        const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
  __shared__ float a[ROWS][128];
  const int row0 = blockIdx.y * ROWS, col = blockIdx.x * COLS + threadIdx.x;
  float total[ROWS] = {};
  for (int q = 0; q < K / 128; ++q) {
    for (int i = threadIdx.x; i < ROWS * 128; i += COLS) {
      const int row = row0 + i / 128;
      if (row >= M) continue;
      a[i / 128][i % 128] = float(A[static_cast<size_t>(row) * K + q * 128 + i % 128]) *
                            scale_a[static_cast<size_t>(q) * M + row];
    }
    __syncthreads();
    if (col < N) {
      const float of_b = scale_b[col / 128 * (K / 128) + q];
      float sum[ROWS] = {};
      for (int k = 0; k < 128; ++k) {
        const float b = float(B[static_cast<size_t>(col) * K + q * 128 + k]);
        for (int r = 0; r < ROWS && row0 + r < M; ++r) sum[r] += a[r][k] * b;
      }
      for (int r = 0; r < ROWS; ++r) total[r] += of_b * sum[r];
    }
    __syncthreads();
  }
  for (int r = 0; r < ROWS && row0 + r < M; ++r) {
    if (col < N) C[static_cast<size_t>(row0 + r) * N + col] = __float2bfloat16(total[r]);
  }
}

extern "C" void fp8_gemm(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                         const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
  product<<<dim3((N + COLS - 1) / COLS, (M + ROWS - 1) / ROWS), COLS>>>(A, B, scale_a, scale_b, C,
                                                                       M, N, K);
}
