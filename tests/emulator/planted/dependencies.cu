// Faults of launches that may begin before the kernel before them has ended, and of bulk copies that
// read what their own launch wrote, planted. `HERE kind name` is where plant_name has its one fault.
#include <cuda_runtime.h>

#include <cuda/ptx>

#include "dependencies.cuh"
#include "filled.cuh"
#include "phases.cuh"

__global__ void reads_early(const float* x, float* y) {
  const float mine = x[threadIdx.x];  // HERE race reads_early: before griddepcontrol.wait
  cudaGridDependencySynchronize();
  y[threadIdx.x] = mine;
}
__global__ void never_waits(float* x) {
  x[threadIdx.x] = 2;  // HERE race never_waits: may not be over yet
}
__global__ void one_thread_waits(const float* x, float* y) {
  if (threadIdx.x == 0) asm volatile("griddepcontrol.wait;" ::: "memory");
  y[threadIdx.x] = threadIdx.x ? x[threadIdx.x] : 0;  // HERE race one_thread_waits: before griddepcontrol.wait
}

__global__ void written_and_loaded(float* x, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  x[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) LOAD_ROW(tile, x, &bar)  // HERE race written_and_loaded: without fence.proxy.async
  WAIT(&bar, 0)
  y[threadIdx.x] = tile[threadIdx.x];
}
/// The fence holds for shared memory alone.
__global__ void fenced_elsewhere(float* x, float* y) {
  __shared__ alignas(128) float tile[32];
  __shared__ uint64_t bar;
  init(&bar, 1);
  x[threadIdx.x] = threadIdx.x;
  cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) LOAD_ROW(tile, x, &bar)  // HERE race fenced_elsewhere: without fence.proxy.async
  WAIT(&bar, 0)
  y[threadIdx.x] = tile[threadIdx.x];
}

extern "C" void plant_reads_early() {
  float *x = filled(32), *y = filled(32);
  write<<<1, 32>>>(x);
  launch_early(reads_early, 32, (const float*)x, y);
}
extern "C" void plant_never_waits() {
  float* x = filled(32);
  write<<<1, 32>>>(x);
  launch_early(never_waits, 32, x);
}
extern "C" void plant_one_thread_waits() {
  float *x = filled(32), *y = filled(32);
  write<<<1, 32>>>(x);
  launch_early(one_thread_waits, 32, (const float*)x, y);
}
extern "C" void plant_written_and_loaded() { written_and_loaded<<<1, 32>>>(filled(32), filled(32)); }
extern "C" void plant_fenced_elsewhere() { fenced_elsewhere<<<1, 32>>>(filled(32), filled(32)); }
