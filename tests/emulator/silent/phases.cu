// Waits for mbarriers that say which phase they mean.
#include <cuda_runtime.h>

#include <cuda/ptx>

#include "../planted/filled.cuh"
#include "../planted/phases.cuh"

/// A ring of two tiles. The producer starts with parity 1, which a fresh barrier answers at once.
__global__ void ring(const float* x, float* y, int tiles) {
  __shared__ alignas(128) float tile[2][32];
  __shared__ uint64_t full[2], empty[2];
  for (int s = 0; s < 2; ++s) {
    init(&full[s], 1);
    init(&empty[s], 32);
  }
  if (threadIdx.x < 32) {
    for (int t = 0; t < tiles && threadIdx.x == 0; ++t) {
      WAIT(&empty[t % 2], (t / 2 & 1) ^ 1)
      LOAD_ROW(tile[t % 2], x + 32 * t, &full[t % 2])
    }
    return;
  }
  for (int t = 0; t < tiles; ++t) {
    WAIT(&full[t % 2], t / 2 & 1)
    y[threadIdx.x] = tile[t % 2][threadIdx.x - 32];
    cuda::ptx::mbarrier_arrive(&empty[t % 2]);
  }
}
/// One thread waits for each phase. The others learn of it at a barrier, and wait for the last.
__global__ void one_waits_for_all(const float* x, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  for (int t = 0; t < 5; ++t) {
    if (threadIdx.x == 32) {
      LOAD_ROW(tile, x + 32 * t, &bar)
      if (t < 4) WAIT(&bar, t & 1)
    }
    __syncthreads();
  }
  WAIT(&bar, 0)
  y[threadIdx.x] = tile[threadIdx.x % 32];
}
/// A tile that stays is waited for again and again.
__global__ void waits_again(const float* x, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  if (threadIdx.x == 0) LOAD_ROW(tile, x, &bar)
  for (int t = 0; t < 3; ++t) {
    WAIT(&bar, 0)
    y[threadIdx.x] = tile[threadIdx.x % 32];
  }
}

extern "C" void silent_ring() { ring<<<1, 64>>>(filled(32 * 9), filled(64), 9); }
extern "C" void silent_one_waits_for_all() {
  one_waits_for_all<<<1, 64>>>(filled(32 * 5), filled(64));
}
extern "C" void silent_waits_again() { waits_again<<<1, 64>>>(filled(32), filled(64)); }
