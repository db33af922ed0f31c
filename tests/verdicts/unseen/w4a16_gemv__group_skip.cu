// A warp per row, four words a lane; groups whose scale is 0 are skipped, and so is a store of nothing.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void skipping(const unsigned* W, const __half* scale, const __half* x, __half* y, int M, int K) {
  const int row = blockIdx.x * 4 + threadIdx.y;
  if (row >= M) return;
  const unsigned* words = W + static_cast<size_t>(row) * (K / 8);
  const __half* scales = scale + static_cast<size_t>(row) * (K / 128);
  float total = 0.0f;
  for (int w = threadIdx.x; w < K / 8; w += 32) {
    const float s = __half2float(scales[w / 16]);
    if (s == 0.0f) continue;
    const unsigned bits = words[w];
    float sum = 0.0f;
    for (int j = 0; j < 8; ++j) {
      const int q = static_cast<int>(bits >> (4 * j) & 15u) - 8;
      sum += static_cast<float>(q) * __half2float(x[8 * w + j]);
    }
    total += s * sum;
  }
  for (int d = 16; d > 0; d /= 2) total += __shfl_xor_sync(0xffffffffu, total, d);
  if (threadIdx.x == 0 && total != 0.0f) y[row] = __float2half_rn(total);
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y, int M, int K) {
  skipping<<<(M - 1) / 4 + 1, dim3(32, 4)>>>(W, scale, x, y, M, K);
}
