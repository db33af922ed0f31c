// Fault: 8 slots for the warps' sums, but a block has 16 warps.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int n) {
  __shared__ float best, slots[8];
  const int tid = threadIdx.x;
  if (tid == 0) best = x[0];
  __syncthreads();
  float mine = -INFINITY;
  for (int i = tid; i < n; i += 512) mine = fmaxf(mine, x[i]);
  for (int o = 16; o > 0; o /= 2) mine = fmaxf(mine, __shfl_xor_sync(~0u, mine, o));
  if (tid % 32 == 0) {
    int* bits = reinterpret_cast<int*>(&best);
    for (int old = __float_as_int(x[0]); __int_as_float(old) < mine;) {
      const int seen = atomicCAS(bits, old, __float_as_int(mine));
      if (seen == old) break;
      old = seen;
    }
  }
  __syncthreads();
  float sum = 0.0f;
  for (int i = tid; i < n; i += 512) sum += expf(x[i] - best);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (tid % 32 == 0) slots[tid / 32] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int warp = 0; warp < 16; ++warp) sum += slots[warp];
  for (int i = tid; i < n; i += 512) y[i] = expf(x[i] - best) / sum;
}

extern "C" void softmax(const float* x, float* y, int n) {
  softmax_kernel<<<1, 512>>>(x, y, n);
}
