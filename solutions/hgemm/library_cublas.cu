// cuBLAS: cublasGemmEx with sums in float; cuBLAS chooses the algorithm.
//
// cuBLAS is column-major, and a row-major matrix is the column-major form of its transpose. So the
// call computes C^T = B^T A^T: the same memory, with the factors swapped. Partial sums of a split K
// would be added in half; the math mode forbids that.
#include <kata/kata.h>

#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <stdio.h>

static cublasHandle_t new_handle() {
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS ||
      cublasSetMathMode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) !=
          CUBLAS_STATUS_SUCCESS) {
    fprintf(stderr, "cublasCreate or cublasSetMathMode failed\n");
  }
  return handle;
}

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  static const cublasHandle_t handle = new_handle();  // creating it takes far longer than a product
  const cublasStatus_t status = cublasGemmEx(
      handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &alpha, B, CUDA_R_16F, N, A, CUDA_R_16F, K, &beta,
      C, CUDA_R_16F, N, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  if (status != CUBLAS_STATUS_SUCCESS) {
    fprintf(stderr, "cublasGemmEx: %s\n", cublasGetStatusString(status));
  }
}
