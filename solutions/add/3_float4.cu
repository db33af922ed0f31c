// Four neighbouring elements per thread as one float4: a quarter of the memory instructions.
//
// A warp's load is 512 consecutive bytes in one instruction. The grid shrinks by four, not the
// block: with small blocks an SM would reach its limit of 32 blocks before it runs out of threads.
// A float4 must be aligned to 16 bytes. Other pointers, and the last n % 4 elements, take the
// scalar path. The rung to reach in 30 minutes.
//
// Prediction: 12 bytes per element: 187 us at 2^26, the limit, as in rung 2. There are 3 memory
// instructions per 4 elements where rung 1 has 12, which helps on chips that are limited by
// instructions.
// Measured: 184.4 us at 67108864, 102 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/aligned.h"

constexpr int THREADS = 256;

__global__ void add_kernel(const float* a, const float* b, float* c, int n, int count4) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < count4) {
    const float4 x = reinterpret_cast<const float4*>(a)[i];
    const float4 y = reinterpret_cast<const float4*>(b)[i];
    reinterpret_cast<float4*>(c)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
  const int tail = n - 4 * count4;
  if (i < tail) c[4 * count4 + i] = a[4 * count4 + i] + b[4 * count4 + i];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  const int count4 = is_aligned16(a) && is_aligned16(b) && is_aligned16(c) ? n / 4 : 0;
  const int tail = n - 4 * count4;
  const int threads_needed = count4 > tail ? count4 : tail;
  add_kernel<<<kata::ceil_div(threads_needed, THREADS), THREADS>>>(a, b, c, n, count4);
}
