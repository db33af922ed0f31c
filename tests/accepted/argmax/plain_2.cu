// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__device__ unsigned long long best;

__global__ void reset() {
  best = 0;
}

__global__ void argmax_kernel(const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned bits = __float_as_uint(x[i] + 0.0f);
  const unsigned ordered = bits >> 31 ? ~bits : bits | 0x80000000u;
  atomicMax(&best, (unsigned long long)ordered << 32 | ~(unsigned)i);
}

__global__ void unpack(int* index) {
  *index = (int)~(unsigned)best;
}

extern "C" void argmax(const float* x, int* index, int n) {
  reset<<<1, 1>>>();
  argmax_kernel<<<(n + 127) / 128, 128>>>(x, n);
  unpack<<<1, 1>>>(index);
}
