// cuSOLVER: cusolverDnSpotrfBatched, in place on a copy of A. Column-major upper is row-major lower; a
// kernel writes the zeros that it leaves out.
#include <kata/kata.h>

#include <cusolverDn.h>
#include <stdio.h>

#include "../common/scratch.h"

static void report(const char* call, cusolverStatus_t status) {
  if (status != CUSOLVER_STATUS_SUCCESS) fprintf(stderr, "%s: error %d\n", call, status);
}

static cusolverDnHandle_t new_handle() {
  cusolverDnHandle_t handle = nullptr;
  report("cusolverDnCreate", cusolverDnCreate(&handle));
  return handle;
}

__global__ void addresses_kernel(float* L, float** matrices, int batch, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < batch) matrices[i] = L + static_cast<size_t>(i) * n * n;
}

__global__ void zeros_kernel(float* L, size_t rows, int n) {
  for (size_t row = blockIdx.x; row < rows; row += gridDim.x) {
    for (int j = row % n + 1 + threadIdx.x; j < n; j += blockDim.x) L[row * n + j] = 0.0f;
  }
}

extern "C" void cholesky(const float* A, float* L, int batch, int n) {
  static const cusolverDnHandle_t handle = new_handle();
  static Scratch<float*> matrices;
  static Scratch<int> info;
  const size_t rows = static_cast<size_t>(batch) * n;
  cudaMemcpyAsync(L, A, rows * n * sizeof(float), cudaMemcpyDeviceToDevice);
  addresses_kernel<<<kata::ceil_div(batch, 256), 256>>>(L, matrices.get(batch), batch, n);
  report("cusolverDnSpotrfBatched",
         cusolverDnSpotrfBatched(handle, CUBLAS_FILL_MODE_UPPER, n, matrices.get(batch), n,
                                 info.get(batch), batch));
  zeros_kernel<<<rows < 65535 ? static_cast<int>(rows) : 65535, 128>>>(L, rows, n);
}
