// Races between threads of one block. `HERE race name` is where plant_name has its one fault: the
// later of the two lines.
#include <cooperative_groups.h>

#include "filled.cuh"

namespace cg = cooperative_groups;

__global__ void no_barrier(float* y) {
  __shared__ float tile[128];
  tile[threadIdx.x] = y[threadIdx.x];
  y[threadIdx.x] = tile[127 - threadIdx.x];  // HERE race no_barrier
}

__global__ void no_barrier_at_loop_end(float* y) {
  __shared__ float tile[128];
  for (int i = 0; i < 3; ++i) {
    tile[threadIdx.x] = y[128 * i + threadIdx.x];
    __syncthreads();
    y[128 * i + threadIdx.x] = tile[127 - threadIdx.x];  // HERE race no_barrier_at_loop_end
  }
}

__global__ void no_barrier_for_one_lane(float* y) {
  __shared__ float sum;
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x == 0) sum = y[i];
    __syncthreads();
    y[threadIdx.x] += sum;  // HERE race no_barrier_for_one_lane: at the end of the loop
  }
}

__global__ void unordered_halving(float* y) {
  __shared__ float sums[256];
  sums[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x >= half) continue;
    sums[threadIdx.x] += sums[threadIdx.x + half];  // HERE race unordered_halving: __syncthreads()
  }
  if (threadIdx.x == 0) y[0] = sums[0];
}

__global__ void no_syncwarp(float* y) {
  __shared__ float tile[32];
  tile[threadIdx.x] = y[threadIdx.x];
  y[threadIdx.x] = tile[threadIdx.x ^ 1];  // HERE race no_syncwarp: __syncwarp()
}

__global__ void shuffle_is_no_fence(float* y) {
  __shared__ float tile[32];
  tile[threadIdx.x] = y[threadIdx.x];
  const float other = __shfl_xor_sync(0xffffffffu, y[threadIdx.x], 1);
  y[threadIdx.x] = tile[threadIdx.x ^ 1] + other;  // HERE race shuffle_is_no_fence
}

__global__ void vote_is_no_fence(float* y) {
  __shared__ float tile[32];
  tile[threadIdx.x] = y[threadIdx.x];
  const bool any = __any_sync(0xffffffffu, y[threadIdx.x] > 0);
  y[threadIdx.x] = tile[threadIdx.x ^ 1] + any;  // HERE race vote_is_no_fence: __syncwarp()
}

__global__ void read_after_vote(float* y) {
  __shared__ float tile[32];
  tile[threadIdx.x] = y[threadIdx.x];
  __syncwarp();
  const bool any = __any_sync(0xffffffffu, y[threadIdx.x] > 0);
  const float other = tile[threadIdx.x ^ 1];
  tile[threadIdx.x] = other + any;  // HERE race read_after_vote: __syncwarp()
}

__global__ void vote_of_other_lanes(float* y) {
  __shared__ float tile[32];
  tile[threadIdx.x] = y[threadIdx.x];
  __syncwarp();
  const float other = tile[threadIdx.x ^ 16];
  const bool any = __any_sync(threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u, other > 0);
  tile[threadIdx.x] = other + any;  // HERE race vote_of_other_lanes: __syncwarp()
}

__global__ void syncwarp_of_other_lanes(float* y) {
  __shared__ float tile[32];
  tile[threadIdx.x] = y[threadIdx.x];
  __syncwarp(threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u);
  y[threadIdx.x] = tile[threadIdx.x ^ 16];  // HERE race syncwarp_of_other_lanes
}

__global__ void syncwarp_between_warps(float* y) {
  __shared__ float tile[64];
  tile[threadIdx.x] = y[threadIdx.x];
  __syncwarp();
  y[threadIdx.x] = tile[63 - threadIdx.x];  // HERE race syncwarp_between_warps
}

__global__ void warp_in_step(float* y) {  // as before Volta
  __shared__ float sums[64];
  sums[threadIdx.x] = y[threadIdx.x];
  sums[threadIdx.x + 32] = y[threadIdx.x + 32];
  __syncthreads();
  volatile float* s = sums;
  s[threadIdx.x] += s[threadIdx.x + 16];  // HERE race warp_in_step
  y[threadIdx.x] = s[threadIdx.x];
}

__global__ void one_bin(int* y) {
  __shared__ int bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  ++bins[threadIdx.x % 4];  // HERE race one_bin
  __syncthreads();
  if (threadIdx.x < 4) y[threadIdx.x] = bins[threadIdx.x];
}

__global__ void different_values(int* y) {
  __shared__ int winner;
  winner = threadIdx.x;  // HERE race different_values
  __syncthreads();
  y[threadIdx.x] = winner;
}

__global__ void same_value_of_two_warps(int* y) {
  __shared__ int found;
  if (threadIdx.x % 32 == 5) found = 1;  // HERE race same_value_of_two_warps
  __syncthreads();
  y[threadIdx.x] = found;
}

__global__ void read_of_atomic_sum(int* y) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  if (threadIdx.x == 0) y[0] = sum;  // HERE race read_of_atomic_sum
}

__global__ void second_reader(float* y) {
  __shared__ float x;
  if (threadIdx.x == 0) x = 1;
  __syncthreads();
  if (threadIdx.x == 40 || threadIdx.x == 70) y[threadIdx.x] = x;
  if (threadIdx.x == 70) x = 2;  // HERE race second_reader
}

__global__ void half_words(unsigned short* y) {
  __shared__ unsigned short tile[64];
  tile[threadIdx.x] = y[threadIdx.x];
  y[threadIdx.x] = tile[63 - threadIdx.x];  // HERE race half_words
}

__global__ void vectors(float* y) {
  __shared__ float4 tile[64];
  tile[threadIdx.x] = reinterpret_cast<const float4*>(y)[threadIdx.x];
  const float* values = reinterpret_cast<const float*>(tile);
  y[threadIdx.x] = values[4 * (63 - threadIdx.x) + 2];  // HERE race vectors
}

__global__ void small_tile(float* y) {
  __shared__ float tile[32];
  const auto group = cg::tiled_partition<8>(cg::this_thread_block());
  tile[threadIdx.x] = y[threadIdx.x];
  group.sync();
  y[threadIdx.x] = tile[(threadIdx.x + 8) % 32];  // HERE race small_tile
}

__global__ void dynamic_memory(float* y) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = y[threadIdx.x];
  y[threadIdx.x] = tile[127 - threadIdx.x];  // HERE race dynamic_memory
}

__global__ void global_without_barrier(float* y) {
  y[threadIdx.x] = threadIdx.x;
  const float other = y[127 - threadIdx.x];  // HERE race global_without_barrier
  y[128 + threadIdx.x] = other;
}

__global__ void flag_without_fence(volatile int* flag, float* y) {
  if (threadIdx.x == 32) {
    y[0] = 1;
    *flag = 1;
  }
  if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    y[1] = y[0];  // HERE race flag_without_fence
  }
}

__global__ void sleep_is_no_fence(float* partial, int* flag, float* y) {
  if (threadIdx.x == 32) {
    partial[0] = 1;
    __nanosleep(100);
    atomicExch(flag, 1);
  }
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) __nanosleep(100);
    y[0] = partial[0];  // HERE race sleep_is_no_fence
  }
}

extern "C" void plant_no_barrier() {
  no_barrier<<<1, 128>>>(filled(128));
}
extern "C" void plant_no_barrier_at_loop_end() {
  no_barrier_at_loop_end<<<1, 128>>>(filled(384));
}
extern "C" void plant_no_barrier_for_one_lane() {
  no_barrier_for_one_lane<<<1, 32>>>(filled(32));
}
extern "C" void plant_unordered_halving() {
  unordered_halving<<<1, 256>>>(filled(256));
}
extern "C" void plant_no_syncwarp() {
  no_syncwarp<<<1, 32>>>(filled(32));
}
extern "C" void plant_shuffle_is_no_fence() {
  shuffle_is_no_fence<<<1, 32>>>(filled(32));
}
extern "C" void plant_vote_is_no_fence() {
  vote_is_no_fence<<<1, 32>>>(filled(32));
}
extern "C" void plant_read_after_vote() {
  read_after_vote<<<1, 32>>>(filled(32));
}
extern "C" void plant_vote_of_other_lanes() {
  vote_of_other_lanes<<<1, 32>>>(filled(32));
}
extern "C" void plant_syncwarp_of_other_lanes() {
  syncwarp_of_other_lanes<<<1, 32>>>(filled(32));
}
extern "C" void plant_syncwarp_between_warps() {
  syncwarp_between_warps<<<1, 64>>>(filled(64));
}
extern "C" void plant_warp_in_step() {
  warp_in_step<<<1, 32>>>(filled(64));
}
extern "C" void plant_one_bin() {
  one_bin<<<1, 64>>>(filled<int>(4));
}
extern "C" void plant_different_values() {
  different_values<<<1, 32>>>(filled<int>(32));
}
extern "C" void plant_same_value_of_two_warps() {
  same_value_of_two_warps<<<1, 64>>>(filled<int>(64));
}
extern "C" void plant_read_of_atomic_sum() {
  read_of_atomic_sum<<<1, 64>>>(filled<int>(1));
}
extern "C" void plant_second_reader() {
  second_reader<<<1, 96>>>(filled(96));
}
extern "C" void plant_half_words() {
  half_words<<<1, 64>>>(filled<unsigned short>(64));
}
extern "C" void plant_vectors() {
  vectors<<<1, 64>>>(filled(256));
}
extern "C" void plant_small_tile() {
  small_tile<<<1, 32>>>(filled(32));
}
extern "C" void plant_dynamic_memory() {
  dynamic_memory<<<1, 128, 512>>>(filled(128));
}
extern "C" void plant_global_without_barrier() {
  global_without_barrier<<<1, 128>>>(filled(256));
}
extern "C" void plant_flag_without_fence() {
  flag_without_fence<<<1, 64>>>(filled<int>(1), filled(2));
}
extern "C" void plant_sleep_is_no_fence() {
  sleep_is_no_fence<<<1, 64>>>(filled(1), filled<int>(1), filled(1));
}

// The barrier orders the accesses, but the read-only cache may hold what was there before the launch.
__global__ void read_only_cache(float* y) {
  y[threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[64 + threadIdx.x] = __ldg(y + (threadIdx.x + 1) % 64);  // HERE race read_only_cache: by __ldg()
}

__device__ float kept_in_the_module[64];
__global__ void read_only_variable(float* y) {
  kept_in_the_module[threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] =
      __ldg(kept_in_the_module + (threadIdx.x + 1) % 64);  // HERE race read_only_variable: by __ldg()
}

__global__ void not_coherent(float* y) {
  if (threadIdx.x == 0) y[0] = 1;
  __syncthreads();
  float first;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(first) : "l"(y));  // HERE race not_coherent: ld.global.nc
  y[64 + threadIdx.x] = first;
}

extern "C" void plant_read_only_variable() {
  read_only_variable<<<1, 64>>>(filled(64));
}
extern "C" void plant_read_only_cache() {
  read_only_cache<<<1, 64>>>(filled(128));
}
extern "C" void plant_not_coherent() {
  not_coherent<<<1, 64>>>(filled(128));
}
