// Faults in inline PTX, planted.
#include <cuda_runtime.h>

__device__ unsigned shared_address(const void* pointer) {
  return (unsigned)__cvta_generic_to_shared(pointer);
}

__global__ void missing_wait(const float* x, float* y) {
  __shared__ float4 tile[32];
  const unsigned to = shared_address(&tile[threadIdx.x]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x + threadIdx.x * 4));
  asm volatile("cp.async.commit_group;");
  y[threadIdx.x] = tile[threadIdx.x].x;  // HERE race missing_wait
}
__global__ void one_group_early(const float* x, float* y) {
  __shared__ float tile[2][32];
  for (int t = 0; t < 2; ++t) {
    const unsigned to = shared_address(&tile[t][threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + threadIdx.x));
    asm volatile("cp.async.commit_group;");
  }
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  float value;
  asm volatile("ld.shared.f32 %0, [%1];"  // HERE race one_group_early
               : "=f"(value)
               : "r"(shared_address(&tile[1][threadIdx.x])));
  y[threadIdx.x] = value;
}
__global__ void odd_row(float* y) {
  __shared__ unsigned short tile[8 * 12];  // rows of 24 bytes: the second one is not aligned
  for (int i = threadIdx.x; i < 8 * 12; i += 32) tile[i] = 0;
  __syncthreads();
  unsigned value;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"  // HERE misaligned odd_row
               : "=r"(value)
               : "r"(shared_address(&tile[threadIdx.x % 8 * 12])));
  y[threadIdx.x] = value;
}
__global__ void bare_row(float* y) {
  __shared__ __align__(16) unsigned short tile[8 * 8];
  if (threadIdx.x < 31) tile[threadIdx.x] = tile[threadIdx.x + 31] = tile[62] = 0;
  __syncthreads();
  unsigned value;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"  // HERE uninitialized bare
               : "=r"(value)
               : "r"(shared_address(&tile[threadIdx.x % 8 * 8])));
  y[threadIdx.x] = value;
}
__global__ void past_end(const float* x, float* y) {
  float value;
  asm volatile("ld.global.nc.f32 %0, [%1 + 4];"  // HERE out_of_bounds ld_past_end
               : "=f"(value)
               : "l"(x + threadIdx.x));
  y[threadIdx.x] = value;
}
__global__ void never_met(float* y) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");  // HERE deadlock never_met
  y[threadIdx.x] = 1;
}
__global__ void blackwell(float* y) {
  asm volatile("tcgen05.wait::ld.sync.aligned;");  // HERE unsupported blackwell
  y[threadIdx.x] = 1;
}

static float* filled(int n) {
  float* x = nullptr;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  return x;
}

extern "C" void plant_missing_wait() {
  missing_wait<<<1, 32>>>(filled(128), filled(32));
}
extern "C" void plant_one_group_early() {
  one_group_early<<<1, 32>>>(filled(32), filled(32));
}
extern "C" void plant_odd_row() {
  odd_row<<<1, 32>>>(filled(32));
}
extern "C" void plant_bare() {
  bare_row<<<1, 32>>>(filled(32));
}
extern "C" void plant_ld_past_end() {
  past_end<<<1, 32>>>(filled(32), filled(32));
}
extern "C" void plant_never_met() {
  never_met<<<1, 64>>>(filled(64));
}
extern "C" void plant_blackwell() {
  blackwell<<<1, 32>>>(filled(32));
}
