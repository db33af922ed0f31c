// A row that fits waits in shared memory, copied by cp.async in pieces of 4 bytes. Threads add up
// neighbouring columns, so they read what others copied.
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

constexpr int threads = 128;
constexpr int most = 4096;  // columns

__global__ void softmax_backward_kernel(const float* y, const float* dy, float* dx, int cols) {
  extern __shared__ float shared[];
  __shared__ float parts[threads / 32];
  const size_t first = static_cast<size_t>(blockIdx.x) * cols;
  const float* of_y = y + first;
  const float* of_dy = dy + first;
  if (cols <= most) {
    for (int col = threadIdx.x; col < cols; col += threads) {
      __pipeline_memcpy_async(shared + col, y + first + col, 4);
      __pipeline_memcpy_async(shared + cols + col, dy + first + col, 4);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    of_y = shared;
    of_dy = shared + cols;
  }
  const int share = (cols + threads - 1) / threads;
  const int begin = threadIdx.x * share;
  const int end = min(begin + share, cols);
  float sum = 0.0f;
  for (int col = begin; col < end; ++col) sum += of_y[col] * of_dy[col];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = (parts[0] + parts[1]) + (parts[2] + parts[3]);
  for (int col = threadIdx.x; col < cols; col += threads) {
    dx[first + col] = of_y[col] * (of_dy[col] - sum);
  }
}

extern "C" void softmax_backward(const float* y, const float* dy, float* dx, int rows, int cols) {
  const int bytes = cols <= most ? 2 * cols * static_cast<int>(sizeof(float)) : 0;
  softmax_backward_kernel<<<rows, threads, bytes>>>(y, dy, dx, cols);
}
