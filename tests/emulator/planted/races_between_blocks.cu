// Races between blocks of one launch. `HERE race name` is where plant_name has its one fault: the
// later of the two lines.
#include <cooperative_groups.h>
#include <cuda/atomic>

#include "filled.cuh"

__global__ void no_atomic(float* sum) {
  if (threadIdx.x == 0) *sum += 1;  // HERE race no_atomic
}

__global__ void next_block(float* y) {
  y[blockIdx.x] = blockIdx.x;
  y[4 + blockIdx.x] = y[(blockIdx.x + 1) % 4];  // HERE race next_block
}

__global__ void overlapping_rows(float* y) {
  y[blockIdx.x * 31 + threadIdx.x] = blockIdx.x;  // HERE race overlapping_rows
}

__global__ void in_place_stencil(float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float left = i > 0 ? y[i - 1] : 0;
  if (threadIdx.x == blockDim.x - 1) y[i] = left + blockIdx.x;  // HERE race in_place_stencil
}

__global__ void last_block_without_fence(float* partial, unsigned* count, float* y) {
  partial[blockIdx.x] = 1;
  if (atomicAdd(count, 1) != gridDim.x - 1) return;
  float sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += partial[i];  // HERE race last_block_without_fence
  *y = sum;
}

__global__ void fence_of_the_block(float* partial, unsigned* count, float* y) {
  partial[blockIdx.x] = 1;
  __threadfence_block();
  if (atomicAdd(count, 1) != gridDim.x - 1) return;
  float sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += partial[i];  // HERE race fence_of_the_block
  *y = sum;
}

__global__ void fence_of_one_thread(float* partial, unsigned* count, float* y) {
  __shared__ bool last;
  partial[blockIdx.x * 64 + threadIdx.x] = 1;
  if (threadIdx.x == 0) {
    __threadfence();  // before the barrier: it covers this thread alone
    last = atomicAdd(count, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    for (int i = 0; i < gridDim.x; ++i)
      *y += partial[i * 64 + 63];  // HERE race fence_of_one_thread
  }
}

/// The barrier of some threads orders this block alone: the fence before it covers no write.
__global__ void no_fence_after_some_met(float* partial, unsigned* count, float* y) {
  if (threadIdx.x < 32) return;
  __threadfence();
  partial[blockIdx.x * 64 + threadIdx.x - 32] = 1;
  asm volatile("bar.sync 1, 64;" ::: "memory");
  if (threadIdx.x != 32 || atomicAdd(count, 1) != gridDim.x - 1) return;
  __threadfence();
  for (int i = 0; i < gridDim.x; ++i)
    *y += partial[i * 64 + 63];  // HERE race no_fence_after_some_met
}

__global__ void fence_as_grid_barrier(float* y) {
  y[blockIdx.x] = blockIdx.x;
  __threadfence();
  __syncthreads();
  y[4 + blockIdx.x] = y[(blockIdx.x + 1) % 4];  // HERE race fence_as_grid_barrier
}

__global__ void no_grid_sync(float* y) {
  y[blockIdx.x] = blockIdx.x;
  cooperative_groups::this_thread_block().sync();
  y[4 + blockIdx.x] = y[(blockIdx.x + 1) % 4];  // HERE race no_grid_sync
}

__global__ void reset_too_early(int* count) {
  if (blockIdx.x == 0) {
    *count = 0;
  } else {
    atomicAdd(count, 1);  // HERE race reset_too_early
  }
}

// Seen in a launch of one block: a larger one has more, which use the same memory.
__global__ void cleared_in_passing(int* count) {
  if (threadIdx.x < 4) count[threadIdx.x] = 0;
  atomicAdd(&count[(threadIdx.x + 1) % 4], 1);  // HERE race cleared_in_passing: use two launches
}

__device__ int total;
__device__ float partial_sums[4];
__device__ unsigned blocks_done;

__global__ void variable_without_atomic(int* y) {
  if (threadIdx.x == 0) total += y[blockIdx.x];  // HERE race variable_without_atomic: of total
}

__global__ void no_fence(float* y) {
  partial_sums[blockIdx.x] = y[blockIdx.x];
  if (atomicAdd(&blocks_done, 1) != gridDim.x - 1) return;
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += partial_sums[i];  // HERE race no_fence: partial_sums
  y[4] = sum;
}

extern "C" void plant_variable_without_atomic() {
  variable_without_atomic<<<4, 32>>>(filled<int>(4));
}
extern "C" void plant_no_fence() {
  const unsigned none = 0;
  cudaMemcpyToSymbol(blocks_done, &none, sizeof none);
  no_fence<<<4, 1>>>(filled(5));
}
extern "C" void plant_cleared_in_passing() {
  cleared_in_passing<<<1, 32>>>(filled<int>(4));
}
extern "C" void plant_no_atomic() {
  no_atomic<<<4, 32>>>(filled(1));
}
extern "C" void plant_next_block() {
  next_block<<<4, 1>>>(filled(8));
}
extern "C" void plant_overlapping_rows() {
  overlapping_rows<<<4, 32>>>(filled(128));
}
extern "C" void plant_in_place_stencil() {
  in_place_stencil<<<4, 2>>>(filled(8));
}
extern "C" void plant_last_block_without_fence() {
  last_block_without_fence<<<4, 1>>>(filled(4), filled<unsigned>(1), filled(1));
}
extern "C" void plant_fence_of_the_block() {
  fence_of_the_block<<<4, 1>>>(filled(4), filled<unsigned>(1), filled(1));
}
extern "C" void plant_fence_of_one_thread() {
  fence_of_one_thread<<<4, 64>>>(filled(256), filled<unsigned>(1), filled(1));
}
extern "C" void plant_no_fence_after_some_met() {
  no_fence_after_some_met<<<4, 96>>>(filled(256), filled<unsigned>(1), filled(1));
}
extern "C" void plant_fence_as_grid_barrier() {
  fence_as_grid_barrier<<<4, 1>>>(filled(8));
}
extern "C" void plant_no_grid_sync() {
  no_grid_sync<<<4, 1>>>(filled(8));
}
extern "C" void plant_reset_too_early() {
  reset_too_early<<<4, 1>>>(filled<int>(1));
}

__global__ void atomic_of_the_block(float* y) {
  atomicAdd_block(y, 1.0f);  // HERE race atomic_of_the_block: block scope
}
extern "C" void plant_atomic_of_the_block() {
  atomic_of_the_block<<<4, 32>>>(filled(1));
}
__global__ void reference_of_the_block(int* y) {
  cuda::atomic_ref<int, cuda::thread_scope_block> sum(*y);
  sum.fetch_add(1, cuda::memory_order_relaxed);  // HERE race reference_of_the_block: block scope
}
extern "C" void plant_reference_of_the_block() {
  reference_of_the_block<<<4, 32>>>(filled<int>(1));
}
__global__ void reduction_of_the_block(int* y) {
  asm volatile("red.relaxed.cta.global.add.s32 [%0], 1;" ::"l"(y) : "memory");  // HERE race reduction_of_the_block: block scope
}
extern "C" void plant_reduction_of_the_block() {
  reduction_of_the_block<<<4, 32>>>(filled<int>(1));
}
