// Two softmax_rows kernels, written by people who had not seen the emulator's counters, at five
// sizes: docs/measured/fidelity.md, "Kernels that nobody had measured".
#include <cuda_runtime.h>
#include <math.h>

__global__ void block_per_row_kernel(const float* x, float* y, int cols) {
  const float* row = x + (size_t)blockIdx.x * cols;
  __shared__ float s[256];
  float m = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += 256) m = fmaxf(m, row[i]);
  s[threadIdx.x] = m;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + w]);
    __syncthreads();
  }
  m = s[0];
  __syncthreads();
  float t = 0;
  for (int i = threadIdx.x; i < cols; i += 256) t += expf(row[i] - m);
  s[threadIdx.x] = t;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) s[threadIdx.x] += s[threadIdx.x + w];
    __syncthreads();
  }
  t = s[0];
  for (int i = threadIdx.x; i < cols; i += 256)
    y[(size_t)blockIdx.x * cols + i] = expf(row[i] - m) / t;
}
void block_per_row(const float* x, float* y, int rows, int cols) {
  block_per_row_kernel<<<rows, 256>>>(x, y, cols);
}

constexpr int ROWS_PER_BLOCK = 4;

__device__ float warp_max(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  return value;
}

__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

__global__ void warp_per_row_kernel(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * ROWS_PER_BLOCK + threadIdx.y;
  const int lane = threadIdx.x;
  if (row >= rows) return;
  const float* in = x + size_t(row) * cols;
  float* out = y + size_t(row) * cols;

  float largest = -INFINITY;
  for (int c = lane; c < cols; c += 32) largest = fmaxf(largest, in[c]);
  largest = warp_max(largest);

  float sum = 0.0f;
  for (int c = lane; c < cols; c += 32) sum += __expf(in[c] - largest);
  sum = warp_sum(sum);

  for (int c = lane; c < cols; c += 32) out[c] = __expf(in[c] - largest) / sum;
}

void warp_per_row(const float* x, float* y, int rows, int cols) {
  const dim3 block(32, ROWS_PER_BLOCK);
  const int grid = (rows + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK;
  warp_per_row_kernel<<<grid, block>>>(x, y, rows, cols);
}

int main() {
  float *x, *y;
  cudaMalloc(&x, 1 << 24);
  cudaMalloc(&y, 1 << 24);
  cudaMemset(x, 0, 1 << 24);
  const int sizes[][2] = {{1, 32771}, {1, 32768}, {3, 32771}, {1, 32800}, {2, 999}};
  for (const auto& size : sizes) {
    block_per_row(x, y, size[0], size[1]);
    warp_per_row(x, y, size[0], size[1]);
  }
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  cudaFree(x);
  cudaFree(y);
  return failed;
}
