// cuBLAS has no 4-bit weights: a kernel unpacks them to half, then a product of halves in float.
#include <kata/kata.h>

#include <cublas_v2.h>
#include <stdio.h>

#include "../common/scratch.h"
#include "dequantise.h"

static cublasHandle_t new_handle() {
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) fprintf(stderr, "cublasCreate failed\n");
  return handle;
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  static const cublasHandle_t handle = new_handle();
  static Scratch<__half> scratch;
  __half* matrix = scratch.get(static_cast<size_t>(M) * K);
  dequantise(W, scale, matrix, M, K);
  const float one = 1.0f;
  const float zero = 0.0f;
  const cublasStatus_t status =  // cuBLAS counts by columns: our [M, K] is its K x M
      cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, M, 1, K, &one, matrix, CUDA_R_16F, K, x,
                   CUDA_R_16F, K, &zero, y, CUDA_R_16F, M, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  if (status != CUBLAS_STATUS_SUCCESS) {
    fprintf(stderr, "w4a16_gemv: cublasGemmEx: %s\n", cublasGetStatusString(status));
  }
}
