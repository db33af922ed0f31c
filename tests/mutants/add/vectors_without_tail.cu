// Fault: only float4: the last n % 4 elements are never written.
#include <cuda_runtime.h>

__global__ void add_kernel(const float4* a, const float4* b, float4* c, int vectors) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += stride) {
    const float4 u = a[i], v = b[i];
    c[i] = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
  }
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  add_kernel<<<64, 256>>>((const float4*)a, (const float4*)b, (float4*)c, n / 4);
}
