// Fault: each thread loads at most one element of the halo, which may be longer than the block.
#include <cuda_runtime.h>

__global__ void conv1d_kernel(const float* x, const float* w, float* y, int n, int k) {
  extern __shared__ float tile[];
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  tile[tid] = i < n ? x[i] : 0.0f;
  if (tid < k - 1) tile[blockDim.x + tid] = i + blockDim.x < n ? x[i + blockDim.x] : 0.0f;
  __syncthreads();
  if (i > n - k) return;
  float sum = 0.0f;
  for (int j = 0; j < k; ++j) sum += tile[tid + j] * w[j];
  y[i] = sum;
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  conv1d_kernel<<<(n - k + 256) / 256, 256, (255 + k) * sizeof(float)>>>(x, w, y, n, k);
}
