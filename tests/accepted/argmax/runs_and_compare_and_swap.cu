// A run of neighbouring elements per thread; one 64-bit compare-and-swap loop decides between them.
#include <cuda_runtime.h>

__device__ unsigned long long kept;

// Minus infinity, with an index that no element has.
__global__ void start(unsigned long long* best) {
  *best = (unsigned long long)INT_MAX << 32 | __float_as_uint(-INFINITY);
}

__global__ void runs(const float* x, unsigned long long* best, int n, int run) {
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * run;
  if (begin >= n) return;
  int where = begin;
  for (int i = begin + 1; i < min(begin + run, n); ++i)
    if (x[i] > x[where]) where = i;
  const unsigned long long mine = (unsigned long long)where << 32 | __float_as_uint(x[where]);
  unsigned long long seen = atomicAdd(best, 0ull);
  while (true) {
    const float value = __uint_as_float((unsigned)seen);
    const int index = (int)(seen >> 32);
    if (x[where] < value || (x[where] == value && where > index)) return;
    const unsigned long long before = atomicCAS(best, seen, mine);
    if (before == seen) return;
    seen = before;
  }
}

__global__ void finish(const unsigned long long* best, int* index) {
  *index = (int)(*best >> 32);
}

extern "C" void argmax(const float* x, int* index, int n) {
  void* address = nullptr;
  cudaGetSymbolAddress(&address, kept);
  unsigned long long* best = static_cast<unsigned long long*>(address);
  start<<<1, 1>>>(best);
  runs<<<4, 64>>>(x, best, n, n / 256 + 1);
  finish<<<1, 1>>>(best, index);
}
