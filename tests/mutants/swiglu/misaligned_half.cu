// Fault: float4 loads from the second half, which is aligned only if n / 2 % 4 is 0.
#include <cuda_runtime.h>

__device__ float product(float gate, float up) {
  return gate / (1.0f + expf(-gate)) * up;
}

__global__ void swiglu_kernel(const float* x, float* y, int outputs) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < outputs) {
    const float4 gate = *reinterpret_cast<const float4*>(x + i);
    const float4 up = *reinterpret_cast<const float4*>(x + outputs + i);
    *reinterpret_cast<float4*>(y + i) = make_float4(product(gate.x, up.x), product(gate.y, up.y),
                                                    product(gate.z, up.z), product(gate.w, up.w));
  } else {
    for (int k = i; k < outputs; ++k) y[k] = product(x[k], x[k + outputs]);
  }
}

extern "C" void swiglu(const float* x, float* y, int n) {
  swiglu_kernel<<<(n / 2 + 511) / 512, 128>>>(x, y, n / 2);
}
