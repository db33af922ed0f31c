// cuBLAS in its default math mode: gemm in float; cuBLAS chooses the arithmetic.
//
// cuBLAS is column-major, and a row-major matrix is the column-major form of its transpose. So the
// call computes C^T = B^T A^T: the same memory, with the factors swapped.
#include <kata/kata.h>

#include <cublas_v2.h>
#include <stdio.h>

static cublasHandle_t new_handle() {
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) fprintf(stderr, "cublasCreate failed\n");
  return handle;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  static const cublasHandle_t handle = new_handle();  // creating it takes far longer than a product
  const float one = 1.0f;
  const float zero = 0.0f;  // C may hold NaN: with beta 0 it is not read
  const cublasStatus_t status =
      cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, B, N, A, K, &zero, C, N);
  if (status != CUBLAS_STATUS_SUCCESS) {
    fprintf(stderr, "cublasSgemm: %s\n", cublasGetStatusString(status));
  }
}
