// Right-looking with two launches per column: the column, then the rest. L holds the rest of A on its
// way; the upper half is set to 0 first.
#include <cuda_runtime.h>

__global__ void start_kernel(const float* A, float* L, size_t count, int n) {
  for (size_t at = static_cast<size_t>(blockIdx.x) * 256 + threadIdx.x; at < count;
       at += static_cast<size_t>(gridDim.x) * 256) {
    const int i = at / n % n, j = at % n;
    L[at] = j <= i ? A[at] : 0.0f;
  }
}

// The pivot stays as it is until the next launch, so that all threads can read it.
__global__ void column_kernel(float* L, float* roots, int j, int n) {
  float* l = L + static_cast<size_t>(blockIdx.x) * n * n;
  const float inverse = rsqrtf(l[j * n + j]);
  for (int i = j + 1 + threadIdx.x; i < n; i += blockDim.x) l[i * n + j] *= inverse;
  if (threadIdx.x == 0) roots[blockIdx.x] = sqrtf(l[j * n + j]);
}

__global__ void rest_kernel(float* L, const float* roots, int j, int n) {
  float* l = L + static_cast<size_t>(blockIdx.x) * n * n;
  for (int i = j + 1 + threadIdx.y; i < n; i += blockDim.y) {
    for (int k = j + 1 + threadIdx.x; k <= i; k += blockDim.x) {
      l[i * n + k] -= l[i * n + j] * l[k * n + j];
    }
  }
  if (threadIdx.x == 0 && threadIdx.y == 0) l[j * n + j] = roots[blockIdx.x];
}

extern "C" void cholesky(const float* A, float* L, int batch, int n) {
  float* roots;
  cudaMallocAsync(&roots, batch * sizeof(float), 0);
  const size_t count = static_cast<size_t>(batch) * n * n;
  start_kernel<<<count < 256000 ? (count + 255) / 256 : 1000, 256>>>(A, L, count, n);
  for (int j = 0; j < n; ++j) {
    column_kernel<<<batch, 64>>>(L, roots, j, n);
    rest_kernel<<<batch, dim3(16, 8)>>>(L, roots, j, n);
  }
  cudaFreeAsync(roots, 0);
}
