// Faults with memory that kernels allocate. `HERE kind name` is where plant_name has its one fault.
#include "filled.cuh"

__global__ void past_its_end(float* y, int n) {
  float* mine = new float[n];
  for (int i = 0; i <= n; ++i)
    mine[i] = 1.0f;  // HERE out_of_bounds heap_past_end: allocated in line 5
  y[threadIdx.x] = mine[n - 1];
  delete[] mine;
}

__global__ void after_free(float* y) {
  float* mine = (float*)malloc(16);
  mine[0] = 1.0f;
  free(mine);
  y[threadIdx.x] = mine[0];  // HERE out_of_bounds heap_after_free: after the kernel's free()
}

__global__ void never_written(float* y) {
  float* mine = (float*)malloc(16);
  y[threadIdx.x] = mine[2];  // HERE uninitialized heap_never_written: allocated in line 20
  free(mine);
}

__device__ float* handed_on;

__global__ void twice(float* y) {
  handed_on = new float(1.0f);
  y[threadIdx.x] = *handed_on;
  delete handed_on;
  delete handed_on;  // HERE out_of_bounds heap_twice: freed before
}

__global__ void not_its_start(float* y) {
  float* mine = (float*)malloc(16);
  mine[0] = y[threadIdx.x];
  y[threadIdx.x] = *mine++;
  free(mine);  // HERE out_of_bounds heap_not_its_start: not its start
}

__global__ void not_its_own(float* y) {
  y[threadIdx.x] = 1.0f;
  free(y);  // HERE out_of_bounds heap_not_its_own: cudaFree
}

__global__ void unchecked(float* y) {
  handed_on = (float*)malloc(9 << 20);
  handed_on[0] = y[0];  // HERE out_of_bounds heap_full: null pointer
}

__global__ void allocate_for_the_host() {
  handed_on = new float[4];
  for (int i = 0; i < 4; ++i) handed_on[i] = 1.0f;
}

extern "C" void plant_heap_past_end() {
  past_its_end<<<1, 32>>>(filled(32), 10);
}
extern "C" void plant_heap_after_free() {
  after_free<<<1, 32>>>(filled(32));
}
extern "C" void plant_heap_never_written() {
  never_written<<<1, 32>>>(filled(32));
}
extern "C" void plant_heap_twice() {
  twice<<<1, 1>>>(filled(32));
}
extern "C" void plant_heap_not_its_start() {
  not_its_start<<<1, 1>>>(filled(32));
}
extern "C" void plant_heap_not_its_own() {
  not_its_own<<<1, 1>>>(filled(32));
}
extern "C" void plant_heap_full() {
  unchecked<<<1, 1>>>(filled(32));
}
extern "C" void plant_heap_copied() {
  allocate_for_the_host<<<1, 1>>>();
  float *from = nullptr, to[4];
  cudaMemcpyFromSymbol(&from, handed_on, sizeof from);
  cudaMemcpy(to, from, 16, cudaMemcpyDeviceToHost);  // HERE cuda_error heap_copied: heap
}
