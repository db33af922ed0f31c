// mbarriers that other blocks of a cluster may use.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "../planted/filled.cuh"

__device__ void init(unsigned bar) {
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
}
__device__ void arrive_at_other(unsigned bar) {
  if (threadIdx.x == 0) {
    asm volatile(
        "{.reg .b32 a; mapa.shared::cluster.u32 a, %0, %1;"
        "mbarrier.arrive.shared::cluster.b64 _, [a];}" ::"r"(bar),
        "r"(1 - blockIdx.x)
        : "memory");
  }
}

/// The fence makes a relaxed barrier enough.
__global__ void __cluster_dims__(2) fenced(float* y) {
  __shared__ uint64_t bar;
  const unsigned mine = (unsigned)__cvta_generic_to_shared(&bar);
  init(mine);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("barrier.cluster.arrive.relaxed;\n barrier.cluster.wait;" ::: "memory");
  arrive_at_other(mine);
  y[blockIdx.x * 32 + threadIdx.x] = 1.0f;
  asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}
__global__ void __cluster_dims__(2) released(float* y) {
  __shared__ uint64_t bar;
  const unsigned mine = (unsigned)__cvta_generic_to_shared(&bar);
  init(mine);
  cooperative_groups::this_cluster().sync();
  arrive_at_other(mine);
  y[blockIdx.x * 32 + threadIdx.x] = 1.0f;
  cooperative_groups::this_cluster().sync();
}

extern "C" void silent_fenced_init() { fenced<<<2, 32>>>(filled(64)); }
extern "C" void silent_released_init() { released<<<2, 32>>>(filled(64)); }
