// Faults in the use of warpgroups, planted. `HERE kind name` is where plant_name has its one fault.
#include "filled.cuh"

/// 65536 registers are 128 for each of 512 threads; 3 * 240 + 24 want more.
__global__ void __launch_bounds__(512) too_many_registers(float* y) {
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");  // HERE deadlock too_many: 65536 registers
  }
  y[threadIdx.x] = 1;
}
__global__ void __launch_bounds__(384) wrong_way(float* y) {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 160;");  // HERE cuda_error wrong_way: has 168
  y[threadIdx.x] = 1;
}
__global__ void __launch_bounds__(384) one_warp(float* y) {
  if (threadIdx.x < 32)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");  // HERE barrier_divergence one_warp: only 1 of the 4 warps
  y[threadIdx.x] = 1;
}
__global__ void __launch_bounds__(384) other_number(float* y) {
  if (threadIdx.x < 64) asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
  __syncthreads();
  if (threadIdx.x >= 64 && threadIdx.x < 128)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");  // HERE barrier_divergence other_number: another setmaxnreg
  y[threadIdx.x] = 1;
}
__global__ void first_lane_assumed(float* y) {
  if (threadIdx.x >= 24) return;
  asm volatile("{.reg .pred p; elect.sync _|p, 0xffff;}");  // HERE barrier_divergence not_named
  y[threadIdx.x] = 1;
}
__global__ void __cluster_dims__(2) missing_wait(float* y) {
  __shared__ float mine[32];
  mine[threadIdx.x] = 1;
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
  const float* other;
  asm("mapa.u64 %0, %1, %2;" : "=l"(other) : "l"(mine), "r"(1 - blockIdx.x));
  mine[threadIdx.x] = 2;
  asm volatile("barrier.cluster.arrive;" ::: "memory");
  y[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];  // HERE race missing_cluster_wait
  asm volatile("barrier.cluster.wait;" ::: "memory");
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

/// What one thread gives is not enough for the others: a deadlock, for this reason.
__global__ void __launch_bounds__(384) one_thread_gives(float* y) {
  if (threadIdx.x < 128) {
    if (threadIdx.x == 0)
      asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");  // HERE barrier_divergence one_thread_gives: only 1 of the 4 warps
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    __syncwarp();  // else clang++ makes one call of both asm statements, with the other's line
  }
  y[threadIdx.x] = 1;
}
/// The producer waits for a stage that lacks one arrival, and the consumers for the producer.
__global__ void waits_in_a_row(float* y) {
  __shared__ uint64_t bars[2];
  const unsigned full = (unsigned)__cvta_generic_to_shared(bars), empty = full + 8;
  if (threadIdx.x == 32) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full) : "memory");
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 3;" ::"r"(empty) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 2;" ::"r"(empty) : "memory");
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W;}" ::"r"(empty) : "memory");  // HERE deadlock waits_in_a_row: lacks 1 of 3 arrivals
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(full) : "memory");
  } else if (threadIdx.x < 32) {
    asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W;}" ::"r"(full) : "memory");
  }
  y[threadIdx.x] = 1;
}

extern "C" void plant_one_thread_gives() {
  one_thread_gives<<<1, 384>>>(filled(384));
}
extern "C" void plant_waits_in_a_row() {
  waits_in_a_row<<<1, 64>>>(filled(64));
}
extern "C" void plant_too_many() {
  too_many_registers<<<1, 512>>>(filled(512));
}
extern "C" void plant_wrong_way() {
  wrong_way<<<1, 384>>>(filled(384));
}
extern "C" void plant_one_warp() {
  one_warp<<<1, 384>>>(filled(384));
}
extern "C" void plant_other_number() {
  other_number<<<1, 384>>>(filled(384));
}
extern "C" void plant_not_named() {
  first_lane_assumed<<<1, 32>>>(filled(32));
}
extern "C" void plant_missing_cluster_wait() {
  missing_wait<<<2, 32>>>(filled(64));
}
