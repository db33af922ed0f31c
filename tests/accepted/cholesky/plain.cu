// A plain kernel: a warp per matrix, left-looking, with L in global memory. faults.toml plants
// mistakes in it.
#include <cuda_runtime.h>

__global__ void warp_kernel(const float* A, float* L, int batch, int n) {
  const int matrix = blockIdx.x;
  const float* a = A + static_cast<size_t>(matrix) * n * n;
  float* l = L + static_cast<size_t>(matrix) * n * n;
  for (int j = 0; j < n; ++j) {
    float pivot = a[j * n + j];
    for (int k = 0; k < j; ++k) pivot -= l[j * n + k] * l[j * n + k];
    const float root = sqrtf(pivot);
    for (int i = threadIdx.x; i < n; i += 32) {
      if (i < j) l[i * n + j] = 0.0f;
      if (i == j) l[i * n + j] = root;
      if (i > j) {
        float sum = a[i * n + j];
        for (int k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
        l[i * n + j] = sum / root;
      }
    }
    __syncwarp();
  }
}

extern "C" void cholesky(const float* A, float* L, int batch, int n) {
  warp_kernel<<<batch, 32>>>(A, L, batch, n);
}
