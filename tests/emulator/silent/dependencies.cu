// Launches that wait for the kernel before them where they must, and bulk copies of what their own
// launch has written and fenced.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cuda/ptx>

#include "../planted/dependencies.cuh"
#include "../planted/filled.cuh"
#include "../planted/phases.cuh"

/// What no kernel writes may be read before.
__global__ void waits(const float* x, const float* scale, float* y) {
  const float mine = scale[threadIdx.x];
  cudaGridDependencySynchronize();
  y[threadIdx.x] = mine * x[threadIdx.x];
}
__global__ void one_waits(const float* x, float* y) {
  if (threadIdx.x == 0) asm volatile("griddepcontrol.wait;" ::: "memory");
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x];
}
__global__ void written_and_loaded(float* x, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  x[threadIdx.x] = threadIdx.x;
  cuda::ptx::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) LOAD_ROW(tile, x, &bar)
  WAIT(&bar, 0)
  y[threadIdx.x] = tile[threadIdx.x];
}
/// The other block's row.
__global__ void exchanged(float* x, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  x[blockIdx.x * 32 + threadIdx.x] = threadIdx.x;
  cuda::ptx::fence_proxy_async(cuda::ptx::space_global);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) LOAD_ROW(tile, x + (1 - blockIdx.x) * 32, &bar)
  WAIT(&bar, 0)
  y[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x];
}

extern "C" void silent_waits() {
  float *x = filled(32), *scale = filled(32), *y = filled(32);
  write<<<1, 32>>>(x);
  launch_early(waits, 32, (const float*)x, (const float*)scale, y);
}
extern "C" void silent_one_waits() {
  float *x = filled(32), *y = filled(32);
  write<<<1, 32>>>(x);
  launch_early(one_waits, 32, (const float*)x, y);
}
extern "C" void silent_chain_of_kernels() {
  float *x = filled(32), *y = filled(32), *z = filled(32);
  write<<<1, 32>>>(x);
  launch_early(one_waits, 32, (const float*)x, y);
  launch_early(one_waits, 32, (const float*)y, z);
}
/// A fill stands between the two kernels.
extern "C" void silent_fill_between() {
  float *x = filled(32), *y = filled(32);
  write<<<1, 32>>>(x);
  cudaMemset(y, 0, 128);
  launch_early(write, 32, x);
}
/// The host has waited for the kernel before.
extern "C" void silent_host_waits() {
  float *x = filled(32), *y = filled(32);
  write<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  launch_early(write, 32, x);
}
extern "C" void silent_written_and_loaded() { written_and_loaded<<<1, 32>>>(filled(32), filled(32)); }
extern "C" void silent_exchanged() {
  float *x = filled(64), *y = filled(64);
  void* arguments[] = {&x, &y};
  cudaLaunchCooperativeKernel((const void*)exchanged, 2, 32, arguments, 0, nullptr);
}
