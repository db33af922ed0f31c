// cuBLAS: gemv with CUBLAS_OP_T, because our matrix is row-major.
//
// cuBLAS is column-major: it reads our row-major A[M, K] as a K x M matrix with leading dimension
// K, so A x is its transpose times x.
#include <kata/kata.h>

#include <cublas_v2.h>
#include <stdio.h>

static cublasHandle_t new_handle() {
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) fprintf(stderr, "cublasCreate failed\n");
  return handle;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  static const cublasHandle_t handle = new_handle();  // creating it takes far longer than a product
  const float one = 1.0f;
  const float zero = 0.0f;  // y may hold NaN: with beta 0 it is not read
  const cublasStatus_t status =
      cublasSgemv(handle, CUBLAS_OP_T, K, M, &one, A, K, x, 1, &zero, y, 1);
  if (status != CUBLAS_STATUS_SUCCESS) {
    fprintf(stderr, "cublasSgemv: %s\n", cublasGetStatusString(status));
  }
}
