// cuBLAS: geam, C = alpha op(A) + beta op(B), with alpha 1, beta 0 and op the transpose.
//
// cuBLAS is column-major: it reads our row-major in[rows, cols] as a cols x rows matrix with
// leading dimension cols. Its transpose, rows x cols with leading dimension rows, is our row-major
// out[cols, rows].
#include <kata/kata.h>

#include <cublas_v2.h>
#include <stdio.h>

static cublasHandle_t new_handle() {
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) fprintf(stderr, "cublasCreate failed\n");
  return handle;
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  static const cublasHandle_t handle =
      new_handle();  // creating it takes far longer than a transpose
  const float one = 1.0f;
  const float zero = 0.0f;
  const cublasStatus_t status = cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &one, in,
                                            cols, &zero, out, rows, out, rows);
  if (status != CUBLAS_STATUS_SUCCESS) {
    fprintf(stderr, "cublasSgeam: %s\n", cublasGetStatusString(status));
  }
}
