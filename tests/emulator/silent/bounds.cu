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
