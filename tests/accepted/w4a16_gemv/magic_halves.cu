// Nibbles are or-ed into the half 1024 two at a time and brought back by an exact half2 subtraction; products and sums in float.
#include <cuda_fp16.h>
#include <kata/kata.h>

namespace {
__device__ __half2 as_half2(unsigned bits) {
  __half2_raw raw;
  raw.x = static_cast<unsigned short>(bits & 0xffffu);
  raw.y = static_cast<unsigned short>(bits >> 16);
  return __half2(raw);
}

__global__ void warp_rows(const unsigned* W, const __half* scale, const __half* x, __half* y, int M, int K) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= M) return;  // a whole warp
  const uint4* w4 = reinterpret_cast<const uint4*>(W + static_cast<size_t>(row) * (K / 8));
  const __half* sc = scale + static_cast<size_t>(row) * (K / 128);
  const __half2 bias = __float2half2_rn(1032.0f);
  float total = 0.0f;
  for (int chunk = threadIdx.x; chunk < K / 32; chunk += 32) {
    const uint4 four = w4[chunk];
    const unsigned words[4] = {four.x, four.y, four.z, four.w};
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const __half* xs = x + chunk * 32 + j * 8;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const unsigned bits = (words[j] >> (4 * i) & 0x000f000fu) | 0x64006400u;  // weights i and i + 4
        const float2 w = __half22float2(__hsub2(as_half2(bits), bias));
        sum = fmaf(w.x, __half2float(xs[i]), sum);
        sum = fmaf(w.y, __half2float(xs[i + 4]), sum);
      }
    }
    total = fmaf(sum, __half2float(sc[chunk / 4]), total);
  }
  for (int d = 16; d > 0; d /= 2) total += __shfl_down_sync(0xffffffffu, total, d);
  if (threadIdx.x == 0) y[row] = __float2half_rn(total);
}
}  // namespace

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y, int M, int K) {
  warp_rows<<<kata::ceil_div(M, 3), dim3(32, 3)>>>(W, scale, x, y, M, K);
}
