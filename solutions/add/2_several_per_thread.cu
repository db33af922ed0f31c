// Four elements per thread, one block width apart; all loads are issued before the first store.
//
// With that distance each load of a warp still covers 128 consecutive bytes, 4 sectors. Four
// neighbouring elements per thread, read one by one, would touch 16 sectors per load. The loads
// come first because the compiler may not move a load above a store that could alias it; otherwise
// a thread would still have only two loads in flight.
//
// Prediction: 12 bytes per element, with 8 loads in flight per thread. 2048 threads have 64 KB in
// flight, four times what an SM needs. Memory is the limit: 187 us at 2^26.
// Measured: 184.2 us at 67108864, 103 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 256;
constexpr int PER_THREAD = 4;
constexpr int PER_BLOCK = THREADS * PER_THREAD;

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int first = blockIdx.x * PER_BLOCK + threadIdx.x;
  float x[PER_THREAD];  // in registers: unrolling turns every index into a constant
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
