// Each thread computes 8 consecutive rows of one column: one shared float of B serves 8 products.
//
// This lowers the shared loads per FMA from 2 to 9/8. A 64 x 64 tile also needs 1/64 of the naive
// loads from L2.
//
// Prediction: 9 wavefronts per 2 clocks of FMAs are 22 % of the peak, 14 TFLOP/s. If the compiler
// reads A as float4, four values of k at a time (2 wavefronts for a 16-byte broadcast), it is 20
// wavefronts per 8 clocks: 26 TFLOP/s, or 0.66 ms at 2048 cubed. At 512 cubed it should lose to
// rung 2: 64 blocks leave half of 132 SMs idle.
// Measured: 1044.6 us at 2048x2048x2048, 25 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

constexpr int BM = 64, BN = 64, BK = 8;
constexpr int TM = 8;                  // consecutive rows of C per thread
constexpr int THREADS = BM * BN / TM;  // 512: each loads one float of A and one of B
static_assert(THREADS == BM * BK && THREADS == BK * BN,
              "each thread loads one float of A and one of B");

__global__ void __launch_bounds__(THREADS)
    sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * BM;  // the block's tile of C
  const int col0 = blockIdx.x * BN;
  const int row = tid / BN * TM;  // the thread's elements within the tile
  const int col = tid % BN;

  float sum[TM] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    const int row_A = row0 + tid / BK, k_A = k0 + tid % BK;
    const int k_B = k0 + tid / BN, col_B = col0 + tid % BN;
    As[tid / BK][tid % BK] = row_A < M && k_A < K ? A[static_cast<size_t>(row_A) * K + k_A] : 0.0f;
    Bs[tid / BN][tid % BN] = k_B < K && col_B < N ? B[static_cast<size_t>(k_B) * N + col_B] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      const float b = Bs[k][col];
#pragma unroll
      for (int i = 0; i < TM; ++i) sum[i] += As[row + i][k] * b;
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    if (row0 + row + i < M && col0 + col < N) {
      C[static_cast<size_t>(row0 + row + i) * N + col0 + col] = sum[i];
    }
  }
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  sgemm_kernel<<<grid, THREADS>>>(A, B, C, M, N, K);
}
