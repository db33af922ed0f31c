// cuBLAS: Sdot with the result in device memory. With the result on the host, which is the default,
// every call would wait for the GPU.
#include <kata/kata.h>

#include <cublas_v2.h>
#include <stdio.h>

static cublasHandle_t new_handle() {
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) fprintf(stderr, "cublasCreate failed\n");
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  return handle;
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  static const cublasHandle_t handle = new_handle();  // costs far more than a dot product
  const cublasStatus_t status = cublasSdot(handle, n, a, 1, b, 1, result);
  if (status != CUBLAS_STATUS_SUCCESS) {
    fprintf(stderr, "cublasSdot: %s\n", cublasGetStatusString(status));
  }
}
