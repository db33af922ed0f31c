// Waits for mbarriers by a parity that does not say which phase is meant, planted. `HERE kind name`
// is where plant_name has its one fault.
#include <cuda_runtime.h>

#include <cuda/ptx>

#include "filled.cuh"
#include "phases.cuh"

/// The barrier is three phases on when the second warp looks at it.
__global__ void lapped(const float* x, float* y) {
  __shared__ alignas(128) float tile[3][32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  if (threadIdx.x == 0) {
    for (int t = 0; t < 3; ++t) LOAD_ROW(tile[t], x, &bar)
  }
  if (threadIdx.x < 32) return;
  WAIT(&bar, 0)  // HERE race lapped: waits for phase 0 of an mbarrier by parity 0, but the barrier is in phase 3
  y[threadIdx.x] = tile[0][threadIdx.x - 32];
}
/// After two phases the parity is what it was: the wait never ends.
__global__ void hangs(const float* x, float* y) {
  __shared__ alignas(128) float tile[2][32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  if (threadIdx.x == 0) {
    for (int t = 0; t < 2; ++t) LOAD_ROW(tile[t], x, &bar)
  }
  if (threadIdx.x < 32) return;
  WAIT(&bar, 0)  // HERE race hangs: is in phase 2 already
  y[threadIdx.x] = tile[0][threadIdx.x - 32];
}
__global__ void parity_kept(const float* x, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  for (int t = 0; t < 2; ++t) {
    if (threadIdx.x == 0) LOAD_ROW(tile, x, &bar)
    __syncthreads();
    WAIT(&bar, 0)  // HERE race parity_kept: flip the parity
    y[threadIdx.x] = tile[threadIdx.x % 32];
    __syncthreads();
  }
}

extern "C" void plant_lapped() { lapped<<<1, 64>>>(filled(64), filled(64)); }
extern "C" void plant_hangs() { hangs<<<1, 64>>>(filled(64), filled(64)); }
extern "C" void plant_parity_kept() { parity_kept<<<1, 64>>>(filled(64), filled(64)); }
