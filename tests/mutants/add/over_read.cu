// Fault: the last float4 loads reach past the end of a and b; only the stores are guarded.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const float4 u = *reinterpret_cast<const float4*>(&a[i]);
  const float4 v = *reinterpret_cast<const float4*>(&b[i]);
  c[i] = u.x + v.x;
  if (i + 1 < n) c[i + 1] = u.y + v.y;
  if (i + 2 < n) c[i + 2] = u.z + v.z;
  if (i + 3 < n) c[i + 3] = u.w + v.w;
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  add_kernel<<<(n + 511) / 512, 128>>>(a, b, c, n);
}
