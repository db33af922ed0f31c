// The subtraction of 8 after the sum, sums in float; a block per row.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void gemv_kernel(const unsigned* W, const __half* scale, const __half* x, __half* y,
                            int K) {
  __shared__ float total;
  const size_t row = blockIdx.x;
  if (threadIdx.x == 0) total = 0.0f;
  __syncthreads();
  float sum = 0.0f;
  for (int i = threadIdx.x; i < K / 8; i += blockDim.x) {
    const unsigned word = W[row * (K / 8) + i];
    float products = 0.0f, sum_of_x = 0.0f;
    for (int j = 0; j < 8; ++j) {
      const float v = __half2float(x[8 * i + j]);
      products += (word >> (4 * j) & 15) * v;
      sum_of_x += v;
    }
    sum += __half2float(scale[row * (K / 128) + i / 16]) * (products - 8.0f * sum_of_x);
  }
  atomicAdd(&total, sum);
  __syncthreads();
  if (threadIdx.x == 0) y[row] = __float2half(total);
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  gemv_kernel<<<M, 96>>>(W, scale, x, y, K);
}
