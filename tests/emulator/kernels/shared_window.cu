// 32-bit addresses of shared memory, and what swizzles and descriptors make of their low bits.
#include "expect.cuh"

__global__ void window(unsigned* out) {
  extern __shared__ __align__(1024) float dynamic[];
  __shared__ float tile[64];
  const unsigned low = (unsigned)__cvta_generic_to_shared(dynamic);
  const unsigned other = (unsigned)__cvta_generic_to_shared(tile);
  dynamic[threadIdx.x] = tile[threadIdx.x] = threadIdx.x;
  float through_asm;
  asm volatile("ld.shared::cta.f32 %0, [%1];" : "=f"(through_asm) : "r"(low + 4 * threadIdx.x));
  constexpr unsigned kept = (1u << 18) - 1;  // bits of an address in a descriptor of wgmma
  out[threadIdx.x] = low % 1024 == 0 && (low & kept) + 256 <= (other & kept) &&
                     __cvta_shared_to_generic(other) == tile && through_asm == threadIdx.x;
}

static void fixture() {
  Values<unsigned, 32> out;
  window<<<1, 32, 256>>>(out);
  for (int i = 0; i < 32; ++i) EXPECT(out.get()[i]);
}
