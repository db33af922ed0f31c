// A warp for each row; rows of even length go by float2, others by float.
#include <cuda_runtime.h>

template <class T>
__device__ T load(const float* row, int i) {
  return reinterpret_cast<const T*>(row)[i];
}
__device__ float largest(float v) {
  return v;
}
__device__ float largest(float2 v) {
  return fmaxf(v.x, v.y);
}
__device__ float exponential(float v, float best) {
  return expf(v - best);
}
__device__ float2 exponential(float2 v, float best) {
  return make_float2(expf(v.x - best), expf(v.y - best));
}
__device__ float total(float v) {
  return v;
}
__device__ float total(float2 v) {
  return v.x + v.y;
}
__device__ float scaled(float v, float by) {
  return v * by;
}
__device__ float2 scaled(float2 v, float by) {
  return make_float2(v.x * by, v.y * by);
}

template <class T>
__global__ void rows_kernel(const float* x, float* y, int rows, int count) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const size_t first = static_cast<size_t>(row) * count * (sizeof(T) / sizeof(float));
  float best = -INFINITY, sum = 0.0f;
  for (int i = threadIdx.x; i < count; i += 32) best = fmaxf(best, largest(load<T>(x + first, i)));
  for (int step = 16; step > 0; step /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, step));
  for (int i = threadIdx.x; i < count; i += 32)
    sum += total(exponential(load<T>(x + first, i), best));
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  for (int i = threadIdx.x; i < count; i += 32) {
    reinterpret_cast<T*>(y + first)[i] =
        scaled(exponential(load<T>(x + first, i), best), 1.0f / sum);
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  const dim3 block(32, 3);
  const int blocks = (rows + 2) / 3;
  if (cols % 2 == 0) {
    rows_kernel<float2><<<blocks, block>>>(x, y, rows, cols / 2);
  } else {
    rows_kernel<float><<<blocks, block>>>(x, y, rows, cols);
  }
}
