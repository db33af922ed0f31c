// Both halves of a tile pass through shared memory; base two, in double.
#include <cuda_runtime.h>

__global__ void swiglu_kernel(const float* x, float* y, int outputs) {
  __shared__ float tile[2][128];
  const int first = blockIdx.x * 128, tid = threadIdx.x;
  if (first + tid % 128 < outputs)
    tile[tid / 128][tid % 128] = x[tid / 128 * outputs + first + tid % 128];
  __syncthreads();
  if (tid >= 128 || first + tid >= outputs) return;
  const double gate = tile[0][tid];
  const double sigmoid = 1.0 / (1.0 + exp2(-1.4426950408889634 * gate));
  y[first + tid] = static_cast<float>(gate * sigmoid * tile[1][tid]);
}

extern "C" void swiglu(const float* x, float* y, int n) {
  swiglu_kernel<<<(n / 2 + 127) / 128, 256>>>(x, y, n / 2);
}
