// Fault: float4 at the far end is misaligned unless n is a multiple of 4.
#include <cuda_runtime.h>

__global__ void reverse_kernel(float* x, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  const int j = n - 4 - i;
  if (i + 4 <= j) {
    const float4 front = *(const float4*)(x + i);
    const float4 back = *(const float4*)(x + j);
    *(float4*)(x + i) = make_float4(back.w, back.z, back.y, back.x);
    *(float4*)(x + j) = make_float4(front.w, front.z, front.y, front.x);
  } else {
    for (int k = i; k < n / 2 && k < i + 4; ++k) {
      const float front = x[k];
      x[k] = x[n - 1 - k];
      x[n - 1 - k] = front;
    }
  }
}

extern "C" void reverse(float* x, int n) {
  reverse_kernel<<<n / 2048 + 1, 256>>>(x, n);
}
