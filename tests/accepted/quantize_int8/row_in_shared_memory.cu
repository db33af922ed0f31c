// Pieces of a row in shared memory, rows over a grid of three blocks; rounding by hand.
#include <cuda_runtime.h>

__device__ int nearest_even(float t) {
  const float below = floorf(t);
  const float rest = t - below;
  const int low = static_cast<int>(below);
  if (rest != 0.5f) return rest < 0.5f ? low : low + 1;
  return low % 2 == 0 ? low : low + 1;
}

__global__ void quantize_kernel(const float* x, signed char* q, float* scale, int rows, int cols) {
  __shared__ float piece[512];
  __shared__ unsigned most;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* in = x + static_cast<size_t>(row) * cols;
    if (threadIdx.x == 0) most = 0;
    for (int start = 0; start < cols; start += 512) {
      __syncthreads();
      const int col = start + threadIdx.x;
      piece[threadIdx.x] = col < cols ? in[col] : 0.0f;
      __syncthreads();
      if (threadIdx.x < 64) {
        float largest = 0.0f;
        for (int i = threadIdx.x; i < 512; i += 64) largest = fmaxf(largest, fabsf(piece[i]));
        atomicMax(&most, __float_as_uint(largest));
      }
    }
    __syncthreads();
    const float largest = __uint_as_float(most);
    const float factor = largest == 0.0f ? 0.0f : 127.0f / largest;
    for (int col = threadIdx.x; col < cols; col += 512) {
      q[static_cast<size_t>(row) * cols + col] = nearest_even(in[col] * factor);
    }
    if (threadIdx.x == 0) scale[row] = largest == 0.0f ? 1.0f : largest / 127.0f;
    __syncthreads();
  }
}

extern "C" void quantize_int8(const float* x, signed char* q, float* scale, int rows, int cols) {
  quantize_kernel<<<3, 512>>>(x, q, scale, rows, cols);
}
