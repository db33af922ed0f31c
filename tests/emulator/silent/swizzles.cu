// Tiles that a tensor copy and a descriptor of wgmma swizzle in the same way.
#include "../planted/swizzles.cuh"

__global__ void multiply(const __grid_constant__ CUtensorMap map_a,
                   const __grid_constant__ CUtensorMap map_b, int swizzle_a, int swizzle_b,
                   float* y) {
  __shared__ alignas(1024) unsigned char a[64 * 128], b[8 * 128];
  __shared__ uint64_t bar;
  float d[4] = {};
  init(&bar, 1);
  if (threadIdx.x == 0) {
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                         cuda::ptx::space_shared, &bar,
                                         64 * (16 << swizzle_a) + 8 * (16 << swizzle_b));
    LOAD_TILE(a, map_a, &bar);
    LOAD_TILE(b, map_b, &bar);
  }
  WAIT(&bar, 0)
  MULTIPLY(d, descriptor_of(a, swizzle_a), descriptor_of(b, swizzle_b));
  y[threadIdx.x] = d[0];
}
/// A thread rearranges the tile for another swizzle.
__global__ void arranged(const __grid_constant__ CUtensorMap map_a,
                         const __grid_constant__ CUtensorMap map_b, float* y) {
  __shared__ alignas(1024) unsigned char a[64 * 128], b[8 * 128];
  __shared__ uint64_t bar;
  float d[4] = {};
  init(&bar, 1);
  if (threadIdx.x == 0) {
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                         cuda::ptx::space_shared, &bar, 64 * 128 + 8 * 128);
    LOAD_TILE(a, map_a, &bar);
    LOAD_TILE(b, map_b, &bar);
  }
  WAIT(&bar, 0)
  for (int i = threadIdx.x; i < 64 * 32; i += 128) ((float*)a)[i] *= 2;
  cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  __syncthreads();
  MULTIPLY(d, descriptor_of(a, CU_TENSOR_MAP_SWIZZLE_64B),
           descriptor_of(b, CU_TENSOR_MAP_SWIZZLE_128B));
  y[threadIdx.x] = d[0];
}

#define SILENT(name, a, b)                                                                   \
  extern "C" void silent_##name() {                                                          \
    multiply<<<1, 128>>>(map_of(64, CU_TENSOR_MAP_SWIZZLE_##a), map_of(8, CU_TENSOR_MAP_SWIZZLE_##b), \
                         CU_TENSOR_MAP_SWIZZLE_##a, CU_TENSOR_MAP_SWIZZLE_##b, filled(128)); \
  }
SILENT(both_by_128, 128B, 128B)
SILENT(both_by_64, 64B, 64B)
SILENT(by_32_and_128, 32B, 128B)
extern "C" void silent_arranged() {
  arranged<<<1, 128>>>(map_of(64, CU_TENSOR_MAP_SWIZZLE_128B), map_of(8, CU_TENSOR_MAP_SWIZZLE_128B),
                       filled(128));
}
