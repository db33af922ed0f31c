// Faults in the use of wgmma, planted. `HERE kind name` is where plant_name has its one fault.
#include <cstdint>

#include "../../gpu/wgmma_forms.cuh"
#include "filled.cuh"

/// A (64 x 16) and B (16 x 8) in halves, K-major and not swizzled.
struct Tiles {
  unsigned short a[2][8][8][8], b[2][8][8];
};

__device__ uint64_t descriptor_of(const void* tile, int leading, int stride = 128) {
  return ((unsigned)__cvta_generic_to_shared(tile) & 0x3ffff) >> 4 |
         (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32;
}
__device__ uint64_t descriptor_of_a(const Tiles& tiles) { return descriptor_of(tiles.a, 1024); }
__device__ uint64_t descriptor_of_b(const Tiles& tiles) { return descriptor_of(tiles.b, 128); }

__device__ void fill(Tiles& tiles, int first, int last) {
  unsigned short* all = &tiles.a[0][0][0][0];
  for (int i = first + threadIdx.x; i < last; i += blockDim.x) all[i] = 0x3c00;
}
constexpr int in_a = 64 * 16, in_both = in_a + 8 * 16;

__device__ void fence_proxy() { asm volatile("fence.proxy.async;" ::: "memory"); }
__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int left>
__device__ void wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}
#define MULTIPLY(d, a, b) WGMMA_4_FLOAT("m64n8k16.f32.f16.f16", d, a, b, 1, ", 1, 1, 0, 0")

/// The tiles are there for wgmma.
__device__ void begin(Tiles& tiles) {
  fill(tiles, 0, in_both);
  fence_proxy();
  __syncthreads();
  fence();
}

__global__ void read_early(float* y) {
  __shared__ __align__(128) Tiles tiles;
  float d[4] = {};
  begin(tiles);
  MULTIPLY(d, descriptor_of_a(tiles), descriptor_of_b(tiles));
  commit();
  y[threadIdx.x] = d[2];  // HERE race read_early: reads an accumulator
  wait<0>();
}
__global__ void one_group_left(float* y) {
  __shared__ __align__(128) Tiles tiles;
  float d[4] = {}, e[4] = {};
  begin(tiles);
  MULTIPLY(d, descriptor_of_a(tiles), descriptor_of_b(tiles));
  commit();
  MULTIPLY(e, descriptor_of_a(tiles), descriptor_of_b(tiles));
  commit();
  wait<1>();
  y[threadIdx.x] = d[1];
  e[3] = 0;  // HERE race one_group_left: writes an accumulator
  wait<0>();
}
__global__ void no_group(float* y) {
  __shared__ __align__(128) Tiles tiles;
  float d[4] = {};
  begin(tiles);
  MULTIPLY(d, descriptor_of_a(tiles), descriptor_of_b(tiles));
  wait<0>();
  y[threadIdx.x] = d[2];  // HERE race no_group: wgmma.commit_group is missing
}
__global__ void tile_overwritten(float* y) {
  __shared__ __align__(128) Tiles tiles;
  float d[4] = {};
  begin(tiles);
  MULTIPLY(d, descriptor_of_a(tiles), descriptor_of_b(tiles));
  commit();
  (&tiles.a[0][0][0][0])[threadIdx.x] = 0;  // HERE race tile_overwritten: wgmma
  wait<0>();
  y[threadIdx.x] = d[2];
}
__global__ void not_fenced(float* y) {
  __shared__ __align__(128) Tiles tiles;
  float d[4] = {};
  fill(tiles, 0, in_both);
  fence_proxy();
  __syncthreads();
  MULTIPLY(d, descriptor_of_a(tiles), descriptor_of_b(tiles));  // HERE race not_fenced: wgmma.fence
  commit();
  wait<0>();
  y[threadIdx.x] = d[2];
}
__global__ void no_proxy_fence(float* y) {
  __shared__ __align__(128) Tiles tiles;
  float d[4] = {};
  fill(tiles, 0, in_both);
  __syncthreads();
  fence();
  MULTIPLY(d, descriptor_of_a(tiles), descriptor_of_b(tiles));  // HERE race no_proxy_fence: fence.proxy
  commit();
  wait<0>();
  y[threadIdx.x] = d[2];
}
__global__ void bare_tile(float* y) {
  __shared__ __align__(128) Tiles tiles;
  float d[4] = {};
  fill(tiles, 0, in_both - 8);
  fence_proxy();
  __syncthreads();
  fence();
  MULTIPLY(d, descriptor_of_a(tiles), descriptor_of_b(tiles));  // HERE uninitialized bare_tile
  commit();
  wait<0>();
  y[threadIdx.x] = d[2];
}
__global__ void wrong_stride(float* y) {
  __shared__ __align__(128) Tiles tiles;
  float d[4] = {};
  begin(tiles);
  const uint64_t b = descriptor_of(tiles.b, 1024);
  MULTIPLY(d, descriptor_of_a(tiles), b);  // HERE out_of_bounds wrong_stride: tiles
  commit();
  wait<0>();
  y[threadIdx.x] = d[2];
}
__global__ void other_descriptor(float* y) {
  __shared__ __align__(128) Tiles tiles;
  float d[4] = {};
  begin(tiles);
  const uint64_t a = descriptor_of(tiles.a, 1024, threadIdx.x < 64 ? 128 : 0);
  MULTIPLY(d, a, descriptor_of_b(tiles));  // HERE barrier_divergence other_descriptor: descriptor
  commit();
  wait<0>();
  y[threadIdx.x] = d[2];
}
__global__ void two_warps(float* y) {
  __shared__ __align__(128) Tiles tiles;
  float d[4] = {};
  begin(tiles);
  MULTIPLY(d, descriptor_of_a(tiles), descriptor_of_b(tiles));  // HERE barrier_divergence two_warps
  commit();
  wait<0>();
  y[threadIdx.x] = d[2];
}
/// Warps 2 to 5 are parts of two warpgroups.
__global__ void warps_of_two_groups(float* y) {
  __shared__ __align__(128) Tiles tiles;
  float d[4] = {};
  begin(tiles);
  if (threadIdx.x >= 64 && threadIdx.x < 192) {
    MULTIPLY(d, descriptor_of_a(tiles), descriptor_of_b(tiles));
    commit();
    asm volatile("wgmma.wait_group.sync.aligned 0;");  // HERE deadlock warps_of_two_groups: the rest
  }
  y[threadIdx.x] = d[2];
}
/// A bulk copy fills the tiles, and nothing waits for it.
__global__ void tile_on_its_way(const Tiles* x, float* y) {
  __shared__ __align__(128) Tiles tiles;
  __shared__ uint64_t bar;
  const unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
  float d[4] = {};
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"((unsigned)sizeof tiles) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(&tiles)), "l"(x), "r"((unsigned)sizeof tiles), "r"(b) : "memory");
  }
  __syncthreads();
  fence();
  MULTIPLY(d, descriptor_of_a(tiles), descriptor_of_b(tiles));  // HERE race tile_on_its_way: asynchronous copy
  commit();
  wait<0>();
  y[threadIdx.x] = d[2];
}

/// 17 accumulators of 4 registers: a thread of so many has 64.
__global__ void too_many_registers(float* y) {
  __shared__ __align__(128) Tiles tiles;
  float d[17][4] = {};
  begin(tiles);
  for (int i = 0; i < 17; ++i)
    MULTIPLY(d[i], descriptor_of_a(tiles), descriptor_of_b(tiles));  // HERE invalid_launch too_many_registers: take 68 registers here
  commit();
  wait<0>();
  for (int i = 0; i < 17; ++i) y[threadIdx.x] += d[i][2];
}

#define PLANT(kernel, threads) \
  extern "C" void plant_##kernel() { kernel<<<1, threads>>>(filled(threads)); }
PLANT(read_early, 128)
PLANT(one_group_left, 128)
PLANT(no_group, 128)
PLANT(tile_overwritten, 128)
PLANT(not_fenced, 128)
PLANT(no_proxy_fence, 128)
PLANT(bare_tile, 128)
PLANT(wrong_stride, 128)
PLANT(other_descriptor, 128)
PLANT(two_warps, 64)
PLANT(too_many_registers, 1024)
PLANT(warps_of_two_groups, 256)
extern "C" void plant_tile_on_its_way() {
  tile_on_its_way<<<1, 128>>>(filled<Tiles>(1), filled(128));
}
