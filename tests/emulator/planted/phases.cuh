#pragma once
// mbarriers and bulk copies of rows of 32 floats. Macros, so that a finding is at the line that uses
// them.
#include <cuda/ptx>

#define WAIT(bar, parity)                                       \
  while (!cuda::ptx::mbarrier_try_wait_parity(bar, parity)) {   \
  }
#define LOAD_ROW(to, from, bar)                                                                 \
  {                                                                                             \
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,          \
                                         cuda::ptx::space_shared, bar, 128);                    \
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, to, from, 128,  \
                             bar);                                                              \
  }

__device__ __forceinline__ void init(uint64_t* bar, unsigned arrivals) {
  if (threadIdx.x == 0) {
    cuda::ptx::mbarrier_init(bar, arrivals);
    cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
  }
  __syncthreads();
}
