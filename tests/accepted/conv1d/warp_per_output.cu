// One warp per output: each lane has every 32nd tap, and an xor butterfly adds up the lanes.
#include <cuda_runtime.h>

__global__ void conv1d_kernel(const float* x, const float* w, float* y, int outputs, int k) {
  const int lane = threadIdx.x;
  for (int i = blockIdx.x * blockDim.y + threadIdx.y; i < outputs; i += gridDim.x * blockDim.y) {
    float sum = 0.0f;
    for (int j = lane; j < k; j += 32) sum = fmaf(x[i + j], w[j], sum);
    for (int mask = 1; mask < 32; mask *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, mask);
    if (lane == i % 32) y[i] = sum;
  }
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  conv1d_kernel<<<66, dim3(32, 5)>>>(x, w, y, n - k + 1, k);
}
