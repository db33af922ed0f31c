// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void conv1d_kernel(const float* x, const float* w, float* y, int n, int k) {
  extern __shared__ float tile[];
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  for (int j = tid; j < blockDim.x + k - 1; j += blockDim.x) {
    const int from = blockIdx.x * blockDim.x + j;
    tile[j] = from < n ? x[from] : 0.0f;
  }
  __syncthreads();
  if (i > n - k) return;
  float sum = 0.0f;
  for (int j = 0; j < k; ++j) sum += tile[tid + j] * w[j];
  y[i] = sum;
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  conv1d_kernel<<<(n - k + 256) / 256, 256, (255 + k) * sizeof(float)>>>(x, w, y, n, k);
}
