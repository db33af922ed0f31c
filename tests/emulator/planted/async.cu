// Faults of asynchronous copies, planted: each one line, which says what is to be found there.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cuda/barrier>

__global__ void no_wait(const float* x, float* y) {
  __shared__ float tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], x + threadIdx.x, 4);
  __pipeline_commit();
  y[threadIdx.x] = tile[threadIdx.x];  // HERE race no_wait
}
__global__ void no_barrier_after_wait(const float* x, float* y) {
  __shared__ float tile[64];
  const int i = threadIdx.x;
  __pipeline_memcpy_async(&tile[i], x + i, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);  // of this thread's copies alone
  y[i] = tile[63 - i];  // HERE race no_barrier_after_wait
}
__global__ void wrong_count(const float* x, float* y) {
  __shared__ float tile[2][32];
  const int i = threadIdx.x;
  for (int t = 0; t < 2; ++t) {
    __pipeline_memcpy_async(&tile[t][i], x + i, 4);
    __pipeline_commit();
  }
  __pipeline_wait_prior(1);
  y[i] = tile[0][i];
  y[i] += tile[1][i];  // HERE race wrong_count
}
__global__ void no_commit(const float* x, float* y) {
  __shared__ float tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], x + threadIdx.x, 4);
  __pipeline_wait_prior(0);
  y[threadIdx.x] = tile[threadIdx.x];  // HERE race no_commit
}
__global__ void overwritten(const float* x, float* y) {
  __shared__ float tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], x + threadIdx.x, 4);
  __pipeline_commit();
  tile[threadIdx.x] = 1.0f;  // HERE race overwritten
  __pipeline_wait_prior(0);
  y[threadIdx.x] = tile[threadIdx.x];
}
__global__ void past_source(const float* x, float* y) {
  __shared__ float4 tile[9];
  const float* from = x + threadIdx.x * 4;
  __pipeline_memcpy_async(&tile[threadIdx.x], from, 16);  // HERE out_of_bounds past_source
  __pipeline_wait_prior(0);
  y[threadIdx.x] = 0;
}
__global__ void past_tile(const float* x, float* y) {
  __shared__ float tile[31];
  __pipeline_memcpy_async(tile + threadIdx.x, x + threadIdx.x, 4);  // HERE out_of_bounds past_tile
  y[threadIdx.x] = 0;
}
__global__ void odd_tile(const float* x, float* y) {
  __shared__ float tile[33];
  __pipeline_memcpy_async(tile + 1, x, 16);  // HERE misaligned odd_tile
  y[threadIdx.x] = 0;
}
__global__ void never_initialised(float* y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  bar.arrive_and_wait();  // HERE uninitialized never_initialised
  y[threadIdx.x] = 0;
}
__global__ void one_short(float* y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, 33);
  __syncthreads();
  bar.arrive_and_wait();  // HERE deadlock one_short
  y[threadIdx.x] = 0;
}

static float* filled(int n) {
  float* x = nullptr;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  return x;
}

extern "C" void plant_no_wait() {
  no_wait<<<1, 32>>>(filled(32), filled(32));
}
extern "C" void plant_no_barrier_after_wait() {
  no_barrier_after_wait<<<1, 64>>>(filled(64), filled(64));
}
extern "C" void plant_wrong_count() {
  wrong_count<<<1, 32>>>(filled(32), filled(32));
}
extern "C" void plant_no_commit() {
  no_commit<<<1, 32>>>(filled(32), filled(32));
}
extern "C" void plant_overwritten() {
  overwritten<<<1, 32>>>(filled(32), filled(32));
}
extern "C" void plant_past_source() {
  past_source<<<1, 9>>>(filled(32), filled(32));
}
extern "C" void plant_past_tile() {
  past_tile<<<1, 32>>>(filled(32), filled(32));
}
extern "C" void plant_odd_tile() {
  odd_tile<<<1, 32>>>(filled(32), filled(32));
}
extern "C" void plant_never_initialised() {
  never_initialised<<<1, 32>>>(filled(32));
}
extern "C" void plant_one_short() {
  one_short<<<1, 32>>>(filled(32));
}
