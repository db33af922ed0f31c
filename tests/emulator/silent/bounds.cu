// Accesses that look as if they left what they belong to, and do not.
#include "../planted/filled.cuh"

__global__ void next_buffer(const float* x, const float* next, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + next[i];
}

__global__ void flattened(const float* x, float* y) {
  __shared__ float s[8][33];
  float* flat = &s[0][0];
  for (int i = threadIdx.x; i < 8 * 33; i += blockDim.x) flat[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < 8 * 33; i += blockDim.x) y[i] = *(flat + i);
}

__global__ void end_pointers(const float* x, float* y) {
  float values[4];
  float* next = values;
  for (float* end = &values[4]; next != end; ++next) *next = x[threadIdx.x];
  y[threadIdx.x] = values[threadIdx.x % 4];
}

__constant__ float weights[8];
__device__ float table[2][16];

__global__ void variables(float* y) {
  float* row = table[0];
  row[threadIdx.x] = weights[threadIdx.x % 8];
  __syncthreads();
  y[threadIdx.x] = table[1 - threadIdx.x / 16][15 - threadIdx.x % 16];
}

struct Header {
  int length;
  int values[1];  // as many as there is memory for
};

__global__ void trailing_array(Header* header, int* y) {
  header->values[threadIdx.x] = threadIdx.x;
  y[threadIdx.x] = header->values[threadIdx.x];
}

__global__ void __launch_bounds__(64, 2) as_many_as_allowed(float* y) {
  y[threadIdx.x] = 1.0f;
}

// A thread of a device may have 512 KiB of local memory.
__global__ void long_local_array(int* y) {
  int values[120000];
  for (int i = 0; i < 120000; i += 40) values[i] = i + y[threadIdx.x];
  y[threadIdx.x] = values[40 * threadIdx.x];
}

extern "C" void silent_next_buffer() {
  next_buffer<<<4, 256>>>(filled(1024), filled(1024), filled(1024));
}
extern "C" void silent_flattened() {
  flattened<<<1, 64>>>(filled(8 * 33), filled(8 * 33));
}
extern "C" void silent_end_pointers() {
  end_pointers<<<1, 32>>>(filled(32), filled(32));
}
extern "C" void silent_variables() {
  variables<<<1, 32>>>(filled(32));
}
extern "C" void silent_trailing_array() {
  trailing_array<<<1, 32>>>(reinterpret_cast<Header*>(filled<int>(33)), filled<int>(32));
}
extern "C" void silent_as_many_as_allowed() {
  as_many_as_allowed<<<1, 64>>>(filled(64));
}
extern "C" void silent_long_local_array() {
  long_local_array<<<1, 4>>>(filled<int>(4));
}
