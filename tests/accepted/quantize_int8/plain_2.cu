// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void quantize_kernel(const float* x, signed char* q, float* scale, int cols) {
  __shared__ float partial[256];
  const int tid = threadIdx.x, threads = blockDim.x;
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  signed char* out = q + static_cast<size_t>(blockIdx.x) * cols;
  float most = 0.0f;
  for (int col = tid; col < cols; col += threads) most = fmaxf(most, fabsf(in[col]));
  partial[tid] = most;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (tid < step) partial[tid] = fmaxf(partial[tid], partial[tid + step]);
    __syncthreads();
  }
  const float s = partial[0] > 0.0f ? partial[0] / 127.0f : 1.0f;
  if (tid == 0) scale[blockIdx.x] = s;
  for (int col = tid; col < cols; col += threads) {
    out[col] = max(-127, min(127, __float2int_rn(in[col] / s)));
  }
}

extern "C" void quantize_int8(const float* x, signed char* q, float* scale, int rows, int cols) {
  quantize_kernel<<<rows, 256>>>(x, q, scale, cols);
}
