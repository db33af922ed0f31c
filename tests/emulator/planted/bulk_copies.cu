// Faults of mbarriers and bulk copies, planted: each one line, which says what is to be found there.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cuda/barrier>
#include <cuda/ptx>

#include "filled.cuh"

namespace ptx = cuda::ptx;

__device__ void expect(uint64_t* bar, unsigned bytes) {
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, bytes);
}
// Macros, so that a finding is at the line that uses them.
#define LOAD(to, from, bytes, bar) \
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, bytes, bar)
#define WAIT(bar, parity)                                  \
  while (!ptx::mbarrier_try_wait_parity(bar, parity)) {    \
  }
__device__ __forceinline__ void init(uint64_t* bar, unsigned arrivals) {
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(bar, arrivals);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
}

__global__ void not_waited(const float* x, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  if (threadIdx.x == 0) {
    expect(&bar, sizeof tile);
    LOAD(tile, x, sizeof tile, &bar);
  }
  y[threadIdx.x] = tile[threadIdx.x];  // HERE race not_waited
}
/// A barrier orders threads; the async proxy sees the init after a fence.
__global__ void init_not_fenced(const float* x, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
  __threadfence_block();
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&bar, sizeof tile);
    LOAD(tile, x, sizeof tile, &bar);  // HERE race init_not_fenced: must call fence.mbarrier_init
  }
  WAIT(&bar, 0)
  y[threadIdx.x] = tile[threadIdx.x];
}
__global__ void one_waits(const float* x, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  if (threadIdx.x == 0) {
    expect(&bar, sizeof tile);
    LOAD(tile, x, sizeof tile, &bar);
    WAIT(&bar, 0)
  }
  y[threadIdx.x] = threadIdx.x ? tile[threadIdx.x] : 0;  // HERE race one_waits
}
/// The arrival alone ends phase 0: the copy counts for phase 1.
__global__ void not_expected(const float* x, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive(&bar);
    LOAD(tile, x, sizeof tile, &bar);
  }
  __syncthreads();
  WAIT(&bar, 0)
  y[threadIdx.x] = tile[threadIdx.x];  // HERE race not_expected: an expect_tx of 128 bytes more: 0 bytes were expected
}
__global__ void bytes_missing(const float* x, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  if (threadIdx.x == 0) {
    expect(&bar, 2 * sizeof tile);
    LOAD(tile, x, sizeof tile, &bar);
  }
  WAIT(&bar, 0)  // HERE deadlock bytes_missing: lacks 128 of 256 bytes; line 83 has copied 128
  y[threadIdx.x] = tile[threadIdx.x];
}
__global__ void arrival_missing(float* y) {
  __shared__ uint64_t bar;
  init(&bar, 33);
  ptx::mbarrier_arrive(&bar);
  WAIT(&bar, 0)  // HERE deadlock arrival_missing: lacks 1 of 33 arrivals
  y[threadIdx.x] = 1;
}
__global__ void init_not_ordered(float* y) {
  __shared__ uint64_t bar;
  if (threadIdx.x == 31) ptx::mbarrier_init(&bar, 1);
  const unsigned all = __activemask();  // lanes meet, which orders nothing
  y[threadIdx.x] = all != 0;
  if (__shfl_sync(~0u, 1, 0) && threadIdx.x == 0)
    ptx::mbarrier_arrive(&bar);  // HERE race init_not_ordered
}
__global__ void store_not_fenced(float* y) {
  __shared__ alignas(128) float tile[32];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, y, tile, 128);  // HERE race store_not_fenced: without fence.proxy.async
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}
__global__ void fenced_by_issuer(float* y) {
  __shared__ alignas(128) float tile[32];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::fence_proxy_async();
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, y, tile, 128);  // HERE race fenced_by_issuer: in each thread that writes
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}
__global__ void store_reused(float* y) {
  __shared__ alignas(128) float tile[32];
  for (int t = 0; t < 2; ++t) {
    tile[threadIdx.x] = t;  // HERE race store_reused
    ptx::fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, y + 32 * t, tile, 128);
      ptx::cp_async_bulk_commit_group();
      if (t == 1) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    __syncthreads();  // orders nothing that the copy does
  }
}
__global__ void not_committed(float* y) {
  __shared__ alignas(128) float tile[32];
  tile[threadIdx.x] = threadIdx.x;
  ptx::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, y, tile, 128);  // HERE race not_committed: must commit it and wait
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}
__global__ void odd_address(const float* x, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  if (threadIdx.x == 0) {
    expect(&bar, 64);
    LOAD(tile + 1, x, 64, &bar);  // HERE misaligned odd_address
  }
  WAIT(&bar, 0)
  y[threadIdx.x] = 0;
}
__global__ void touched(float* y) {
  __shared__ uint64_t bar;
  init(&bar, 1);
  y[threadIdx.x] = ((float*)&bar)[0];  // HERE race touched: which holds an mbarrier
}
__global__ void too_many_arrivals(float* y) {
  __shared__ uint64_t bar;
  init(&bar, 1);
  if (threadIdx.x == 0) {
    ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, 16);
    ptx::mbarrier_arrive(&bar);
    ptx::mbarrier_arrive(&bar);  // HERE barrier_divergence too_many_arrivals: has all its arrivals
  }
  y[threadIdx.x] = 0;
}
__global__ void slot_overwritten(const float* x, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bars[2];
  init(&bars[0], 1);
  init(&bars[1], 1);
  for (int t = 0; t < 2; ++t) {
    if (threadIdx.x == 0) {
      expect(&bars[t], sizeof tile);
      LOAD(tile, x + 32 * t, sizeof tile, &bars[t]);
    }
    WAIT(&bars[t], 0)
    if (t == 0) y[threadIdx.x] = tile[31 - threadIdx.x];  // HERE race slot_overwritten
  }
}
__global__ void local_map(CUtensorMap map, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  if (threadIdx.x == 0) {
    expect(&bar, sizeof tile);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, {0}, &bar);  // HERE out_of_bounds local_map: __grid_constant__
  }
  WAIT(&bar, 0)
  y[threadIdx.x] = tile[threadIdx.x];
}

__global__ void uneven_box(const __grid_constant__ CUtensorMap map, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  if (threadIdx.x == 0) {
    expect(&bar, sizeof tile);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, {1}, &bar);  // HERE misaligned uneven_box: byte 4
  }
  WAIT(&bar, 0)
  y[threadIdx.x] = tile[threadIdx.x];
}
__device__ void fill(float* tile) {
  tile[threadIdx.x] = threadIdx.x;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
}
__global__ void store_before(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[32];
  fill(tile);
  if (threadIdx.x > 0) return;
  ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, {-4}, tile);  // HERE out_of_bounds store_before: only a load
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}
__global__ void floats_and(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[32];
  fill(tile);
  if (threadIdx.x > 0) return;
  asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta.and.bulk_group [%0, {%1}], [%2];" ::"l"(&map), "r"(0), "r"((unsigned)__cvta_generic_to_shared(tile)) : "memory");  // HERE cuda_error floats_and: its type
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

static CUtensorMap map_of(float* x, unsigned long long elements, unsigned box) {
  CUtensorMap map{};
  const cuuint64_t dims[] = {elements};
  const cuuint32_t boxes[] = {box}, steps[] = {1};
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, x, dims, nullptr,  // HERE cuda_error odd_box: no multiple of 16
                         boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}
extern "C" void plant_odd_box() {
  map_of(filled(32), 32, 3);
}
extern "C" void plant_local_map() {
  float* x = filled(32);
  local_map<<<1, 32>>>(map_of(x, 32, 32), filled(32));
}
extern "C" void plant_uneven_box() {
  uneven_box<<<1, 32>>>(map_of(filled(64), 64, 32), filled(32));
}
extern "C" void plant_store_before() { store_before<<<1, 32>>>(map_of(filled(64), 64, 32)); }
extern "C" void plant_floats_and() { floats_and<<<1, 32>>>(map_of(filled(64), 64, 32)); }
#define PLANT(kernel)                         \
  extern "C" void plant_##kernel() {          \
    kernel<<<1, 32>>>(filled(64), filled(64)); \
  }
#define PLANT_WRITER(kernel)        \
  extern "C" void plant_##kernel() { \
    kernel<<<1, 32>>>(filled(64));   \
  }
PLANT(not_waited)
PLANT(init_not_fenced)
PLANT(one_waits)
PLANT(not_expected)
PLANT(bytes_missing)
PLANT_WRITER(arrival_missing)
PLANT_WRITER(init_not_ordered)
PLANT_WRITER(store_not_fenced)
PLANT_WRITER(fenced_by_issuer)
PLANT_WRITER(store_reused)
PLANT_WRITER(not_committed)
PLANT(odd_address)
PLANT_WRITER(touched)
PLANT_WRITER(too_many_arrivals)
PLANT(slot_overwritten)
