// Sixteen-byte loads in a grid-stride loop, then the leftovers (or everything, if a pointer is not aligned) one by one.
#include <cuda_runtime.h>
#include <cstdint>

__global__ void add_wide(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                         int quads, int n) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t me = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const float4* a4 = reinterpret_cast<const float4*>(a);
  const float4* b4 = reinterpret_cast<const float4*>(b);
  float4* c4 = reinterpret_cast<float4*>(c);
  for (size_t i = me; i < static_cast<size_t>(quads); i += step) {
    const float4 p = a4[i], q = b4[i];
    c4[i] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
  }
  for (size_t i = 4 * static_cast<size_t>(quads) + me; i < static_cast<size_t>(n); i += step) c[i] = a[i] + b[i];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  const uintptr_t bits =
      reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b) | reinterpret_cast<uintptr_t>(c);
  const int quads = (bits & 15) == 0 ? n / 4 : 0;
  int grid = (n - 1) / 1024 + 1;
  if (grid > 2112) grid = 2112;
  add_wide<<<grid, 256>>>(a, b, c, quads, n);
}
