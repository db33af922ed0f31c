// Kernels that look like races and are none: nothing is to be found in them.
#include <cooperative_groups.h>

#include "../planted/filled.cuh"

namespace cg = cooperative_groups;

// A warp that spins on a vote lets other blocks begin.
__global__ void spin_on_vote(volatile int* flag) {
  if (blockIdx.x == 0) {
    while (__ballot_sync(0xffffffff, *flag == 0)) {
    }
  } else if (threadIdx.x == 0) {
    *flag = 1;
  }
}
extern "C" void silent_spin_on_vote() {
  spin_on_vote<<<2, 32>>>(filled<int>(1));
}

// What the vote says may depend on what was read, so the write comes after the read.
__global__ void write_after_vote(unsigned* y) {
  __shared__ unsigned alive[2];
  if (threadIdx.x < 2) alive[threadIdx.x] = ~0u;
  __syncwarp();
  for (int i = 0; i < 4; ++i) {
    const bool goes = alive[i / 2] >> threadIdx.x & 1 && threadIdx.x % 5 == i;
    const unsigned gone = __ballot_sync(0xffffffff, goes);
    if (threadIdx.x == 0) alive[i / 2] &= ~gone;
    __syncwarp();
  }
  y[threadIdx.x] = alive[threadIdx.x % 2];
}
extern "C" void silent_write_after_vote() {
  write_after_vote<<<1, 32>>>(filled<unsigned>(32));
}

__global__ void halving(float* y) {
  __shared__ float sums[256];
  sums[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[0] = sums[0];
}

// Arrays that are volatile: of one and two dimensions, and of a size that the launch gives.
__global__ void volatile_arrays(float* y) {
  __shared__ volatile float sums[32];
  volatile __shared__ float rows[2][32];
  extern __shared__ volatile float copies[];
  const int lane = threadIdx.x;
  sums[lane] = copies[lane] = y[lane];
  __syncwarp();
  rows[lane % 2][lane] = sums[31 - lane] + copies[lane];
  y[lane] = rows[lane % 2][lane];
}

__global__ void last_warp_by_syncwarp(float* y) {
  __shared__ float sums[64];
  sums[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  if (threadIdx.x >= 32) return;
  for (int half = 32; half > 0; half /= 2) {
    const float other = sums[threadIdx.x + half];
    __syncwarp();
    sums[threadIdx.x] += other;
    __syncwarp();
  }
  if (threadIdx.x == 0) y[0] = sums[0];
}

__global__ void double_buffer(float* y) {
  __shared__ float tile[2][128];
  tile[0][threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    tile[(i + 1) % 2][threadIdx.x] = y[(i + 1) * 128 + threadIdx.x];
    y[i * 128 + threadIdx.x] = tile[i % 2][127 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void warp_per_row(float* y) {
  __shared__ float row[4][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 3; ++i) {
    row[warp][lane] = y[threadIdx.x];
    __syncwarp();
    y[threadIdx.x] = row[warp][31 - lane];
    __syncwarp();
  }
}

__global__ void groups_of_eight(float* y) {
  __shared__ float tile[64];
  const auto group = cg::tiled_partition<8>(cg::this_thread_block());
  for (int i = 0; i < 3; ++i) {
    tile[threadIdx.x] = y[threadIdx.x];
    group.sync();
    y[threadIdx.x] = tile[threadIdx.x ^ 7];
    group.sync();
  }
}

__global__ void lanes_of_a_branch(float* y) {
  __shared__ float tile[32];
  if (threadIdx.x < 8) {
    tile[threadIdx.x] = y[threadIdx.x];
    __syncwarp(0xff);
    y[threadIdx.x] = tile[7 - threadIdx.x];
  }
}

/// As in the CUDA samples: each block's sum, then a fence, then a ticket; the last block adds up.
__global__ void last_block(const float* x, float* partial, unsigned* count, float* y) {
  __shared__ bool last;
  float sum = 0;
  for (int i = 0; i < 64; ++i) sum += x[blockIdx.x * 64 + i];
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  float total = 0;
  for (int i = 0; i < gridDim.x; ++i) total += partial[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    *y = total;
    *count = 0;
  }
}

__global__ void last_block_all_fence(float* partial, unsigned* count, float* y) {
  __shared__ bool last;
  partial[blockIdx.x * 64 + threadIdx.x] = 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(count, 1) == gridDim.x - 1;
  __syncthreads();
  if (last) y[threadIdx.x] = partial[(gridDim.x * 64 - 1) - threadIdx.x];
}

/// Decoupled look-back: each block adds what the ones before it have, as far as they are.
__global__ void look_back(volatile int* flag, float* aggregate, float* prefix) {
  const int block = blockIdx.x;
  aggregate[block] = 1;
  __threadfence();
  flag[block] = 1;
  float before = 0;
  for (int i = block - 1; i >= 0; --i) {
    int seen = 0;
    while ((seen = flag[i]) == 0) {
    }
    __threadfence();
    before += seen == 2 ? prefix[i] : aggregate[i];
    if (seen == 2) break;
  }
  prefix[block] = before + 1;
  __threadfence();
  flag[block] = 2;
}

__global__ void spin_lock(int* lock, float* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void flag_in_a_block(float* y) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    y[0] = 1;
    __threadfence_block();
    flag = 1;
  }
  if (threadIdx.x == 0) {
    while (flag == 0) {
    }
    __threadfence_block();
    y[1] = y[0];
  }
}

__global__ void compare_and_swap(int* sum) {
  int old = *sum, assumed;
  do {
    assumed = old;
    old = atomicCAS(sum, assumed, assumed + 1);
  } while (assumed != old);
}

__global__ void grid_sync(float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int round = 0; round < 3; ++round) {
    y[round % 2 * n + i] = i;
    cg::this_grid().sync();
    y[2 * n + i] += y[round % 2 * n + (n - 1 - i)];
  }
}

__global__ void bytes_of_a_word(unsigned char* bytes, unsigned short* halves) {
  bytes[blockIdx.x * 2 + threadIdx.x] = 1;
  halves[blockIdx.x * 2 + threadIdx.x] = 2;
  bytes[blockIdx.x * 2 + threadIdx.x] += halves[blockIdx.x * 2 + threadIdx.x];
}

__global__ void same_value(int* y) {
  __shared__ int found;
  found = 0;
  __syncwarp();
  if (y[threadIdx.x] == 0) found = 1;
  __syncwarp();
  y[threadIdx.x] = found;
}

__global__ void alias(float* y) {
  __shared__ float tile[128];
  reinterpret_cast<float4*>(tile)[threadIdx.x] = reinterpret_cast<float4*>(y)[threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.x; i < 128; i += 32) y[i] = tile[127 - i];
}

__global__ void counted_barrier(int* y) {
  __shared__ int tile[64];
  for (int i = 0; i < 3; ++i) {
    tile[threadIdx.x] = i;
    const int ones = __syncthreads_count(threadIdx.x < 10);
    y[threadIdx.x] += ones + tile[63 - threadIdx.x];
    if (__syncthreads_or(threadIdx.x == 70)) return;
  }
}

__global__ void histogram(int* bins) {
  __shared__ int mine[8];
  if (threadIdx.x < 8) mine[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&mine[threadIdx.x % 8], 1);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void grid_stride(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    y[i] = x[i] + x[(i + 1) % n];
  }
}

__device__ int total;
__device__ float partial_sums[4];
__device__ unsigned blocks_done;

__global__ void variable_by_atomic(int* y) {
  atomicAdd(&total, y[blockIdx.x]);
}

__global__ void variables_and_fence(float* y) {
  partial_sums[blockIdx.x] = y[blockIdx.x];
  __threadfence();
  if (atomicAdd(&blocks_done, 1) != gridDim.x - 1) return;
  __threadfence();
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += partial_sums[i];
  y[4] = sum;
  blocks_done = 0;
}

__global__ void sleep_beside_fence(float* partial, int* flag, float* y) {
  if (threadIdx.x == 32) {
    partial[0] = 1;
    __threadfence_block();
    atomicExch(flag, 1);
  }
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) __nanosleep(100);
    __threadfence_block();
    y[0] = partial[0];
  }
}

extern "C" void silent_halving() {
  halving<<<1, 256>>>(filled(256));
}
extern "C" void silent_volatile_arrays() {
  volatile_arrays<<<1, 32, 32 * sizeof(float)>>>(filled<float>(32));
}
extern "C" void silent_last_warp_by_syncwarp() {
  last_warp_by_syncwarp<<<1, 64>>>(filled(64));
}
extern "C" void silent_double_buffer() {
  double_buffer<<<1, 128>>>(filled(640));
}
extern "C" void silent_warp_per_row() {
  warp_per_row<<<1, 128>>>(filled(128));
}
extern "C" void silent_groups_of_eight() {
  groups_of_eight<<<1, 64>>>(filled(64));
}
extern "C" void silent_lanes_of_a_branch() {
  lanes_of_a_branch<<<1, 32>>>(filled(32));
}
extern "C" void silent_last_block() {
  last_block<<<4, 64>>>(filled(256), filled(4), filled<unsigned>(1), filled(1));
}
extern "C" void silent_last_block_all_fence() {
  last_block_all_fence<<<4, 64>>>(filled(256), filled<unsigned>(1), filled(64));
}
extern "C" void silent_look_back() {
  look_back<<<8, 1>>>(filled<int>(8), filled(8), filled(8));
}
extern "C" void silent_spin_lock() {
  spin_lock<<<4, 32>>>(filled<int>(1), filled(1));
}
extern "C" void silent_flag_in_a_block() {
  flag_in_a_block<<<1, 64>>>(filled(2));
}
extern "C" void silent_compare_and_swap() {
  compare_and_swap<<<2, 64>>>(filled<int>(1));
}
extern "C" void silent_bytes_of_a_word() {
  bytes_of_a_word<<<4, 2>>>(filled<unsigned char>(8), filled<unsigned short>(8));
}
extern "C" void silent_same_value() {
  same_value<<<1, 32>>>(filled<int>(32));
}
extern "C" void silent_alias() {
  alias<<<1, 32>>>(filled(128));
}
extern "C" void silent_counted_barrier() {
  counted_barrier<<<1, 64>>>(filled<int>(64));
}
extern "C" void silent_histogram() {
  histogram<<<4, 64>>>(filled<int>(8));
}
extern "C" void silent_grid_stride() {
  grid_stride<<<4, 64>>>(filled(1000), filled(1000), 1000);
}
extern "C" void silent_grid_sync() {
  float* y = filled(3 * 4 * 64);
  void* arguments[] = {&y};
  cudaLaunchCooperativeKernel(grid_sync, dim3(4), dim3(64), arguments, 0, nullptr);
}
extern "C" void silent_two_launches() {
  float* y = filled(256);
  halving<<<1, 256>>>(y);
  grid_stride<<<4, 64>>>(y, filled(256), 256);
}
extern "C" void silent_variable_by_atomic() {
  variable_by_atomic<<<4, 32>>>(filled<int>(4));
}
extern "C" void silent_variables_and_fence() {
  variables_and_fence<<<4, 1>>>(filled(5));
}
extern "C" void silent_sleep_beside_fence() {
  sleep_beside_fence<<<1, 64>>>(filled(1), filled<int>(1), filled(1));
}

// An earlier launch has written it, and a thread may overwrite what it has read.
__global__ void read_only_cache(float* y) {
  y[threadIdx.x] = __ldg(y + threadIdx.x) + 1;
}
extern "C" void silent_read_only_cache() {
  float* y = filled(64);
  read_only_cache<<<1, 64>>>(y);
  read_only_cache<<<1, 64>>>(y);
}

// A lane that has the shuffled values writes after the others have read them.
__global__ void written_after_shuffle(float* y) {
  __shared__ float s[32];
  s[threadIdx.x] = y[threadIdx.x];
  __syncwarp();
  const float sum = s[threadIdx.x] + s[(threadIdx.x + 1) % 32];
  s[threadIdx.x] = __shfl_xor_sync(0xffffffff, sum, 16);
  __syncwarp();
  y[threadIdx.x] = s[31 - threadIdx.x];
}
extern "C" void silent_written_after_shuffle() {
  written_after_shuffle<<<1, 32>>>(filled(32));
}

#if __has_builtin(__builtin_clear_padding)  // clang++ 14 does not have it
// A copy of an object copies the bytes between its members, too, which nothing has written.
struct Best {
  char flag;
  int index;
  double value;
  short tail;
};
__device__ void set_members(Best& best, int i) {
  best.flag = 1;
  best.index = i;
  best.value = i;
  best.tail = 3;
}
__global__ void padded(Best* y) {
  __shared__ Best one[32];
  extern __shared__ Best other[];
  set_members(one[threadIdx.x], threadIdx.x);
  set_members(other[threadIdx.x], threadIdx.x);
  set_members(y[threadIdx.x], threadIdx.x);
  __syncthreads();
  if (threadIdx.x < 8) {
    y[32 + threadIdx.x] = one[threadIdx.x + 8];
    y[40 + threadIdx.x] = other[threadIdx.x + 8];
    y[48 + threadIdx.x] = y[8 + threadIdx.x];
  }
}
extern "C" void silent_padding() {
  Best* y = nullptr;
  cudaMalloc(&y, 64 * sizeof(Best));
  padded<<<1, 32, 32 * sizeof(Best)>>>(y);
}
#endif

// Each group has its mask, and its lanes their loop; all meet before and after it.
__global__ void groups_in_uneven_loops(unsigned* y) {
  const unsigned lane = threadIdx.x, group = lane / 8, mask = 0xffu << group * 8;
  for (unsigned row = 0; row < 3; ++row) {
    for (unsigned i = 0; i < (group + row) % 4; ++i) y[lane] += __shfl_xor_sync(mask, i + lane, 1);
    const bool goes = (lane + row) % 3 == 0;
    const unsigned going = __ballot_sync(0xffffffff, goes);
    if (goes)
      for (unsigned i = 0; i < row; ++i) y[lane] += __reduce_add_sync(going, lane);
    y[lane] += __any_sync(0xffffffff, y[lane] == row);
  }
}
extern "C" void silent_groups_in_uneven_loops() {
  groups_in_uneven_loops<<<1, 32>>>(filled<unsigned>(32));
}

// Atomics of a block's scope where each block has its own element, and after a launch of others.
__global__ void sums_of_blocks(int* y) {
  atomicAdd_block(y + blockIdx.x, 1);
}
__global__ void sum_of_one_block(int* y) {
  atomicAdd_block(y + 3, 1);
}
extern "C" void silent_atomics_of_blocks() {
  int* const y = filled<int>(4);
  sums_of_blocks<<<4, 64>>>(y);
  sum_of_one_block<<<1, 64>>>(y);
}
