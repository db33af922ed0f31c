// A thread per result; every thread goes through the groups until it finds its row's.
// faults.toml plants mistakes in it.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void product(const __nv_bfloat16* A, const __nv_bfloat16* B, const int* offsets,
                        __nv_bfloat16* C, int M, int K, int N) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  int g = 0;
  while (offsets[g + 1] <= row) ++g;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    const float b = __bfloat162float(B[(static_cast<size_t>(g) * K + k) * N + col]);
    sum += __bfloat162float(A[static_cast<size_t>(row) * K + k]) * b;
  }
  C[static_cast<size_t>(row) * N + col] = __float2bfloat16(sum);
}

extern "C" void grouped_gemm(const __nv_bfloat16* A, const __nv_bfloat16* B, const int* offsets,
                             __nv_bfloat16* C, int groups, int M, int K, int N) {
  const dim3 grid((N + 15) / 16, (M + 15) / 16);
  product<<<grid, dim3(16, 16)>>>(A, B, offsets, C, M, K, N);
}
