// Value and position packed into 64 bits, the position inverted, so that one atomic maximum settles ties as well.
#include <cuda_runtime.h>

namespace {
typedef unsigned long long u64;
__device__ u64 winner;

__global__ void start() { winner = 0; }

__global__ void look(const float* x, int n) {
  u64 best = 0;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
    unsigned u = __float_as_uint(x[i]);
    if (u == 0x80000000u) u = 0;  // -0 is 0
    u = (u >> 31) ? ~u : u | 0x80000000u;
    const u64 key = (static_cast<u64>(u) << 32) | (0xffffffffu - static_cast<unsigned>(i));
    if (key > best) best = key;
  }
  for (int d = 16; d > 0; d /= 2) {
    const u64 other = __shfl_down_sync(0xffffffffu, best, d);
    if (other > best) best = other;
  }
  if (threadIdx.x % 32 == 0) atomicMax(&winner, best);
}

__global__ void finish(int* index) { *index = static_cast<int>(0xffffffffu - static_cast<unsigned>(winner)); }
}  // namespace

extern "C" void argmax(const float* x, int* index, int n) {
  int blocks = (n - 1) / 128 + 1;
  if (blocks > 2048) blocks = 2048;
  start<<<1, 1>>>();
  look<<<blocks, 128>>>(x, n);
  finish<<<1, 1>>>(index);
}
