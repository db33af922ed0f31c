// Four elements per thread, a block's width apart: all loads are asked for before one is used.
//
// A thread's elements are THREADS apart and not next to each other, so that at each load the warp
// still reads 128 bytes in one piece: 4 sectors. Four neighbours a thread, read one by one, would
// touch 16 sectors at each load and use a quarter of each. The loads come first because the
// compiler may not move a load above a store that might be to the same address: without that a
// thread has two loads in flight, as before.
//
// Prediction: 12 bytes an element as before, but 8 loads in flight a thread: 2048 threads hold 64
// KB, four times the 15.2 KB that an SM needs. Memory is the limit: 187 us at 2^26.
// Measured: 189.1 us at 67108864, 102 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

constexpr int THREADS = 256;
constexpr int PER_THREAD = 4;
constexpr int PER_BLOCK = THREADS * PER_THREAD;

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int first = blockIdx.x * PER_BLOCK + threadIdx.x;
  float x[PER_THREAD];  // registers: every index is known once the loops are unrolled
  float y[PER_THREAD];
#pragma unroll
  for (int k = 0; k < PER_THREAD; ++k) {
    const int i = first + k * THREADS;
    x[k] = i < n ? a[i] : 0.0f;
    y[k] = i < n ? b[i] : 0.0f;
  }
#pragma unroll
  for (int k = 0; k < PER_THREAD; ++k) {
    const int i = first + k * THREADS;
    if (i < n) c[i] = x[k] + y[k];
  }
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  add_kernel<<<kata::ceil_div(n, PER_BLOCK), THREADS>>>(a, b, c, n);
}
