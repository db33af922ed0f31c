// Tiles that a tensor copy swizzles in one way and a descriptor of wgmma in another, planted.
#include "swizzles.cuh"

constexpr auto by_64 = CU_TENSOR_MAP_SWIZZLE_64B, by_128 = CU_TENSOR_MAP_SWIZZLE_128B;

__global__ void a_by_64(const __grid_constant__ CUtensorMap map_a,
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
  MULTIPLY(d, descriptor_of(a, by_64), descriptor_of(b, by_128));  // HERE misaligned a_by_64: with a 64-byte swizzle, but line 17 copied it with a 128-byte swizzle
  y[threadIdx.x] = d[0];
}
__global__ void b_not_swizzled(const __grid_constant__ CUtensorMap map_a,
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
  MULTIPLY(d, descriptor_of(a, by_128), descriptor_of(b, by_128));  // HERE misaligned b_not_swizzled: with a 128-byte swizzle, but line 36 copied it with a 64-byte swizzle
  y[threadIdx.x] = d[0];
}
/// What else the wrong pattern reads, another tile that is on its way, is not reported.
__global__ void reaches_next_tile(const __grid_constant__ CUtensorMap map_a,
                   const __grid_constant__ CUtensorMap map_b, int swizzle_a, int swizzle_b,
                   float* y) {
  __shared__ alignas(1024) unsigned char a[2][64 * 64], b[8 * 128];
  __shared__ uint64_t bar, next;
  float d[4] = {};
  init(&bar, 1);
  init(&next, 1);
  if (threadIdx.x == 0) {
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                         cuda::ptx::space_shared, &bar,
                                         64 * (16 << swizzle_a) + 8 * (16 << swizzle_b));
    LOAD_TILE(a[0], map_a, &bar);
    LOAD_TILE(b, map_b, &bar);
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                         cuda::ptx::space_shared, &next, 64 * (16 << swizzle_a));
    LOAD_TILE(a[1], map_a, &next);
  }
  WAIT(&bar, 0)
  MULTIPLY(d, descriptor_of(a[0], by_128), descriptor_of(b, by_128));  // HERE misaligned reaches_next_tile: with a 128-byte swizzle, but line 55 copied it with a 64-byte swizzle
  WAIT(&next, 0)
  y[threadIdx.x] = d[0];
}

extern "C" void plant_reaches_next_tile() {
  reaches_next_tile<<<1, 128>>>(map_of(64, by_64), map_of(8, by_128), by_64, by_128, filled(128));
}
extern "C" void plant_a_by_64() {
  a_by_64<<<1, 128>>>(map_of(64, by_128), map_of(8, by_128), by_128, by_128, filled(128));
}
extern "C" void plant_b_not_swizzled() {
  b_not_swizzled<<<1, 128>>>(map_of(64, by_128), map_of(8, by_64), by_128, by_64, filled(128));
}
