// A table of the sixteen scaled weights, rounded to half, for each group; one thread per row.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void gemv_kernel(const unsigned* W, const __half* scale, const __half* x, __half* y,
                            int M, int K) {
  __shared__ __half table[32][17];
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  __half* weights = table[threadIdx.x];
  float sum = 0.0f;
  for (int group = 0; group < K / 128; ++group) {
    const __half s = scale[static_cast<size_t>(row) * (K / 128) + group];
    for (int q = 0; q < 16; ++q) weights[q] = __hmul(s, __int2half_rn(q - 8));
    for (int k = 128 * group; k < 128 * (group + 1); ++k) {
      const unsigned word = W[static_cast<size_t>(row) * (K / 8) + k / 8];
      sum += __half2float(weights[word >> (4 * (k % 8)) & 15]) * __half2float(x[k]);
    }
  }
  y[row] = __float2half(sum);
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  gemv_kernel<<<(M + 31) / 32, 32>>>(W, scale, x, y, M, K);
}
