// Four elements per access: swap a float4 from each end and reverse its lanes in registers.
//
// x + n - 4 is a multiple of 16 bytes only if n % 4 == 0. Any other n takes the scalar kernel.
// The rung to reach in 30 minutes.
//
// Prediction: 32 bytes in flight per thread instead of 8, and a quarter of the instructions: memory
// becomes the limit, 125 us at 2^26. With n % 4 != 0 nothing changes.
// Measured: 129.4 us at 67108864, 98 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 256;

__device__ float4 reversed(float4 v) {
  return make_float4(v.w, v.z, v.y, v.x);
}

__global__ void reverse_float4_kernel(float4* x4, int count4) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int j = count4 - 1 - i;
  if (i > j) return;
  const float4 front = x4[i];  // i == j: the middle vector, reversed in place
  const float4 back = x4[j];
  x4[i] = reversed(back);
  x4[j] = reversed(front);
}

__global__ void reverse_scalar_kernel(float* x, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n / 2) {
    const float front = x[i];
    const float back = x[n - 1 - i];
    x[i] = back;
    x[n - 1 - i] = front;
  }
}

extern "C" void reverse(float* x, int n) {
  if (n < 2) return;
  if (n % 4 == 0) {
    const int count4 = n / 4;
    const int pairs = kata::ceil_div(count4, 2);
    reverse_float4_kernel<<<kata::ceil_div(pairs, THREADS), THREADS>>>(reinterpret_cast<float4*>(x),
                                                                       count4);
  } else {
    reverse_scalar_kernel<<<kata::ceil_div(n / 2, THREADS), THREADS>>>(x, n);
  }
}
