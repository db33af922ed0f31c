// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void gemv_kernel(const unsigned* W, const __half* scale, const __half* x, __half* y,
                            int M, int K) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= M) return;
  const unsigned* words = W + static_cast<size_t>(row) * (K / 8);
  const __half* scales = scale + static_cast<size_t>(row) * (K / 128);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < K / 8; i += 32) {
    const unsigned word = words[i];
    float part = 0.0f;
    for (int j = 0; j < 8; ++j) {
      const int q = static_cast<int>(word >> (4 * j) & 15) - 8;
      part += q * __half2float(x[8 * i + j]);
    }
    sum += __half2float(scales[i / 16]) * part;
  }
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x == 0) y[row] = __float2half(sum);
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  gemv_kernel<<<(M + 3) / 4, dim3(32, 4)>>>(W, scale, x, y, M, K);
}
