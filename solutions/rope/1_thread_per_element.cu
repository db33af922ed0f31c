// One thread per element: it reads its own element and its partner in the other half of the row.
//
// Neighbouring threads read neighbouring addresses in all four loads, so every access is coalesced.
// Each x is read twice, by its own thread and by its partner's: the second read comes from cache.
// The index is 64 bits wide, so that no number of elements overflows it.
//
// Prediction: 16 bytes per element cross device memory, 10.9 us at 16384 x 128 (copy speed). The
// 64-bit remainder takes about 70 of 110 instructions per thread: 7 us of issue slots in addition
// to the latency of one short wave after another. Expect 15 us. Missed: at this size other warps
// hide most of the division.
// Measured: 12.1 us at 16384x128, 92 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 256;

__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            size_t elements, int dim) {
  const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= elements) return;
  const int half = dim / 2;
  const bool in_first_half = i % dim < half;
  const float partner = in_first_half ? -x[i + half] : x[i - half];
  y[i] = x[i] * cosine[i] + partner * sine[i];
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  const size_t elements = static_cast<size_t>(tokens) * dim;
  const int grid = static_cast<int>((elements - 1) / THREADS + 1);
  rope_kernel<<<grid, THREADS>>>(x, cosine, sine, y, elements, dim);
}
