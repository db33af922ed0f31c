// cuBLAS: a product per group, one call after the other. The host needs the offsets first, so every
// call of this function waits for the device once.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <kata/kata.h>
#include <stdint.h>
#include <stdio.h>

#include <vector>

extern "C" void grouped_gemm(const __nv_bfloat16* A, const __nv_bfloat16* B, const int* offsets,
                             __nv_bfloat16* C, int groups, int M, int K, int N) {
  static cublasHandle_t handle = nullptr;
  if (handle == nullptr) cublasCreate(&handle);
  std::vector<int> begin(groups + 1);
  cudaMemcpy(begin.data(), offsets, begin.size() * sizeof(int), cudaMemcpyDeviceToHost);
  const float one = 1.0f, zero = 0.0f;
  for (int g = 0; g < groups; ++g) {
    const int rows = begin[g + 1] - begin[g];
    if (rows == 0) continue;
    // Column-major: C^T = B^T A^T.
    const cublasStatus_t status = cublasGemmEx(
        handle, CUBLAS_OP_N, CUBLAS_OP_N, N, rows, K, &one, B + static_cast<int64_t>(g) * K * N,
        CUDA_R_16BF, N, A + static_cast<int64_t>(begin[g]) * K, CUDA_R_16BF, K, &zero,
        C + static_cast<int64_t>(begin[g]) * N, CUDA_R_16BF, N, CUBLAS_COMPUTE_32F,
        CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_SUCCESS) fprintf(stderr, "cublasGemmEx: %d\n", status);
  }
}
