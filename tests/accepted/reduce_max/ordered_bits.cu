// Floats become unsigned keys of the same order, one atomic maximum per warp, and a last kernel turns the key back.
#include <kata/kata.h>

namespace {
__device__ unsigned best_key;

__global__ void clear() { best_key = 0u; }

__global__ void gather(const float* x, int n) {
  unsigned best = 0u;
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < static_cast<size_t>(n); i += step) {
    const unsigned u = __float_as_uint(x[i]);
    const unsigned key = (u & 0x80000000u) ? ~u : (u | 0x80000000u);
    best = key > best ? key : best;
  }
  best = __reduce_max_sync(0xffffffffu, best);
  if ((threadIdx.x & 31) == 0) atomicMax(&best_key, best);
}

__global__ void store(float* max) {
  const unsigned k = best_key;
  *max = __uint_as_float((k & 0x80000000u) ? (k & 0x7fffffffu) : ~k);
}
}  // namespace

extern "C" void reduce_max(const float* x, float* max, int n) {
  const int blocks = n >= 192 * 1500 ? 1500 : kata::ceil_div(n, 192);
  clear<<<1, 1>>>();
  gather<<<blocks, 192>>>(x, n);
  store<<<1, 1>>>(max);
}
