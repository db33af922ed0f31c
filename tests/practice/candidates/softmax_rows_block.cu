// A block for each row, three passes, trees in shared memory: what many write first.
#include <cuda_runtime.h>

__global__ void rows_kernel(const float* x, float* y, int cols) {
  __shared__ float shared[256];
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;
  float most = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 256) most = fmaxf(most, in[c]);
  shared[threadIdx.x] = most;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (threadIdx.x < s) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + s]);
    __syncthreads();
  }
  most = shared[0];
  __syncthreads();
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 256) sum += expf(in[c] - most);
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (threadIdx.x < s) shared[threadIdx.x] += shared[threadIdx.x + s];
    __syncthreads();
  }
  for (int c = threadIdx.x; c < cols; c += 256) out[c] = expf(in[c] - most) / shared[0];
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  rows_kernel<<<rows, 256>>>(x, y, cols);
}
