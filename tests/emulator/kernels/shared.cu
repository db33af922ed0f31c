// Shared memory: every way of declaring it.
#include "expect.cuh"

#define TILE 4

extern __shared__ float dynamic_at_file_scope[];
__shared__ int fixed_at_file_scope[32];

__global__ void arrays(int* out) {
  __shared__ int grid[TILE][TILE + 1], total;
  __shared__ volatile int flag;
  if (threadIdx.x == 0) total = 0, flag = 100;
  __syncthreads();
  grid[threadIdx.x / TILE][threadIdx.x % TILE] = threadIdx.x;
  atomicAdd(&total, 1);
  __syncthreads();
  out[threadIdx.x] = grid[threadIdx.x % TILE][threadIdx.x / TILE] + total + flag;
  if (threadIdx.x == 0) out[16] = sizeof(grid);
}
__global__ void dynamic_floats(int* out) {
  extern __shared__ float values[];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = (int)values[blockDim.x - 1 - threadIdx.x];
}
__global__ void dynamic_carved(int* out) {
  extern __shared__ __align__(16) unsigned char bytes[];
  float4* vectors = reinterpret_cast<float4*>(bytes);
  int* numbers = (int*)(bytes + 2 * sizeof(float4));
  if (threadIdx.x < 2) vectors[threadIdx.x] = make_float4(1, 2, 3, threadIdx.x);
  numbers[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = (int)vectors[1].w + numbers[3];
}
__global__ void file_scope(int* out) {
  dynamic_at_file_scope[threadIdx.x] = 2;
  fixed_at_file_scope[threadIdx.x] = 3;
  __syncthreads();
  float2* pairs = (float2*)dynamic_at_file_scope;
  out[threadIdx.x] = (int)(pairs[0].x + pairs[0].y) + fixed_at_file_scope[threadIdx.x ^ 1];
}
struct Partial {
  float value;
  int index;
};
template <class T, int n>
__global__ void typed(int* out) {
  __shared__ T values[n];
  __shared__ Partial best;
  __shared__ struct { int a, b[2]; } unnamed;
  values[threadIdx.x] = T(threadIdx.x);
  if (threadIdx.x == 0) best = {1.5f, 3}, unnamed.b[1] = 40;
  __syncthreads();
  out[threadIdx.x] = (int)values[n - 1] + best.index + unnamed.b[1] + (int)sizeof(values);
}
__device__ int through_a_function(int value) {
  __shared__ int scratch[32];
  scratch[threadIdx.x] = value;
  __syncthreads();
  return scratch[threadIdx.x ^ 1];
}
__global__ void calls(int* out) {
  out[threadIdx.x] = through_a_function(threadIdx.x);
}
template <class T>
struct Dynamic {
  __device__ operator T*() {
    extern __shared__ int raw[];
    return (T*)raw;
  }
};
__global__ void sample_idiom(int* out) {
  float* values = Dynamic<float>();
  values[threadIdx.x] = 6;
  __syncthreads();
  out[threadIdx.x] = (int)values[threadIdx.x ^ 1];
}
#define SCRATCH(type, name) __shared__ type name[32]
__global__ void by_macro(int* out) {
  SCRATCH(int, scratch);
  scratch[threadIdx.x] = 9;
  __syncthreads();
  out[threadIdx.x] = scratch[threadIdx.x ^ 1];
}
__global__ void per_block(int* out) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = blockIdx.x;
  __syncthreads();
  if (threadIdx.x == 1) out[blockIdx.x] = mine;
}

static void fixture() {
  Values<int, 32> out;
  arrays<<<1, 16>>>(out.device);
  // thread 6 = (1, 2) reads grid[2][1] = 9; total is 16, flag 100
  EXPECT(out.get()[6] == 9 + 16 + 100);
  EXPECT(out.host[16] == 4 * 5 * 4);
  dynamic_floats<<<1, 8, 8 * sizeof(float)>>>(out.device);
  EXPECT(out.get()[2] == 5);
  dynamic_carved<<<1, 8, 2 * sizeof(float4) + 8 * sizeof(int)>>>(out.device);
  EXPECT(out.get()[0] == 1 + 3);
  file_scope<<<1, 8, 8 * sizeof(float)>>>(out.device);
  EXPECT(out.get()[5] == 2 + 2 + 3);
  typed<double, 8><<<1, 8>>>(out.device);
  EXPECT(out.get()[0] == 7 + 3 + 40 + 64);
  typed<char, 4><<<1, 4>>>(out.device);
  EXPECT(out.get()[0] == 3 + 3 + 40 + 4);
  calls<<<1, 32>>>(out.device);
  EXPECT(out.get()[10] == 11 && out.host[11] == 10);
  sample_idiom<<<1, 8, 8 * sizeof(float)>>>(out.device);
  EXPECT(out.get()[7] == 6);
  by_macro<<<1, 32>>>(out.device);
  EXPECT(out.get()[31] == 9);
  per_block<<<32, 2>>>(out.device);
  int right = 0;
  for (int i = 0; i < 32; ++i) right += out.get()[i] == i;
  EXPECT(right == 32);
  EXPECT(cudaFuncSetAttribute(dynamic_floats, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              100 * 1024) == cudaSuccess);
  dynamic_floats<<<1, 8, 100 * 1024>>>(out.device);
  EXPECT(cudaGetLastError() == cudaSuccess);
  dynamic_carved<<<1, 8, 100 * 1024>>>(out.device);  // its limit is 48 KiB
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
}
