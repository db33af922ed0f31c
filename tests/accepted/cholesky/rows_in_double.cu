// Row by row, in double: the upper half of A is read, and a thread adds up a share of each dot
// product.
#include <cuda_runtime.h>

constexpr int threads = 64;

__device__ double block_sum(double value, double* parts) {
  for (int o = 16; o > 0; o /= 2) value += __shfl_xor_sync(~0u, value, o);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = parts[0] + parts[1];
  __syncthreads();
  return value;
}

__global__ void rows_kernel(const float* A, float* L, double* kept, int batch, int n) {
  __shared__ double parts[2];
  double* row = kept + static_cast<size_t>(blockIdx.x) * n * n;  // L in double
  for (int matrix = blockIdx.x; matrix < batch; matrix += gridDim.x) {
    const float* a = A + static_cast<size_t>(matrix) * n * n;
    float* l = L + static_cast<size_t>(matrix) * n * n;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        double sum = 0.0;
        for (int k = threadIdx.x; k < j; k += threads) sum += row[i * n + k] * row[j * n + k];
        const double rest = a[j * n + i] - block_sum(sum, parts);
        if (threadIdx.x == 0) row[i * n + j] = i == j ? sqrt(rest) : rest / row[j * n + j];
        __syncthreads();
      }
      for (int j = threadIdx.x; j < n; j += threads) l[i * n + j] = j <= i ? row[i * n + j] : 0.0f;
      __syncthreads();
    }
  }
}

extern "C" void cholesky(const float* A, float* L, int batch, int n) {
  const int blocks = batch < 100 ? batch : 100;
  double* kept;
  cudaMallocAsync(&kept, sizeof(double) * blocks * n * n, 0);
  rows_kernel<<<blocks, threads>>>(A, L, kept, batch, n);
  cudaFreeAsync(kept, 0);
}
