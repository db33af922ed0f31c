// One access to work out by hand on each line that has a name in brackets; the expectations are in
// lines_test.cpp.
#include <cuda_pipeline.h>

#include "expect.cuh"

struct Point {
  float x, y, z;
};

__global__ void strided(const float* x, float* y) {
  const float value = x[8 * threadIdx.x];  // [every eighth]
  y[threadIdx.x] = value;                  // [side by side]
}
__global__ void transposed(const float* in, float* out) {
  out[threadIdx.x * 32 + threadIdx.y] =    // [column out]
      in[threadIdx.y * 32 + threadIdx.x];  // [row in]
}
__global__ void broadcast(const float* x, float* y) {
  const float value = x[7];  // [one for all]
  y[threadIdx.x] = value;
}
template <int padding>
__global__ void through_tile(const float* in, float* out) {
  __shared__ float tile[32][32 + padding];
  const float value = in[threadIdx.y * 32 + threadIdx.x];
  tile[threadIdx.y][threadIdx.x] = value;  // [row of tile]
  __syncthreads();
  const float other = tile[threadIdx.x][threadIdx.y];  // [column of tile]
  out[threadIdx.y * 32 + threadIdx.x] = other;
}
__global__ void four_wide(const float4* x, float4* y) {
  const float4 value = x[threadIdx.x];  // [float4]
  y[blockIdx.x * 32 + threadIdx.x] = value;
}
__global__ void structs(const Point* p, float* y) {
  const float x = p[threadIdx.x].x;  // [first of struct]
  const float z = p[threadIdx.x].z;  // [last of struct]
  y[threadIdx.x] = x + z;
}
__global__ void misaligned(const float* x, float* y) {
  const float value = x[threadIdx.x + 1];  // [begins late]
  y[threadIdx.x] = value;
}
__global__ void half_of_the_lanes(const float* x, float* y) {
  if (threadIdx.x % 2 == 0) {
    const float value = x[threadIdx.x];  // [even lanes]
    y[threadIdx.x] = value;
  }
}
__global__ void two_way(float* y) {
  __shared__ float s[64];
  s[2 * threadIdx.x] = 1;  // [two words a bank]
  __syncthreads();
  y[threadIdx.x] = s[2 * threadIdx.x];
}
__global__ void atomics(int* one, int* four) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(one, 1);                     // [one address]
  atomicAdd(four + threadIdx.x % 4, 1);  // [four addresses]
  atomicAdd(&count, 1);                  // [shared counter]
}
__global__ void inner_loop(const float* x, float* y) {
  const int lane = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < 4; i++) {
    if ((lane >> i) & 1) {
      for (int j = 0; j <= i; j++) {
        sum += x[(i * 4 + j) * 32 + lane];  // [some lanes]
      }
    }
    sum += x[lane + 32 * i];  // [all lanes]
  }
  y[lane] = sum;
}
__global__ void trip_counts(const float* x, float* y) {
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < threadIdx.x; j++) {
    sum += x[j * 32 + threadIdx.x];  // [as long as the lane]
  }
  y[threadIdx.x] = sum;
}
__global__ void early_exit(const float* x, float* y) {
  if (threadIdx.x >= 20) return;
  float sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += x[i * 32 + threadIdx.x];  // [twenty lanes]
  }
  y[threadIdx.x] = sum;
}
__device__ float read(const float* x, int i) {
  return x[i];  // [inlined]
}
__global__ void device_function(const float* x, float* y) {
  const float value = read(x, threadIdx.x) + read(x, 31 - threadIdx.x);
  const float cached = __ldg(x + 32 + threadIdx.x);  // [by a header]
  y[threadIdx.x] = value + cached;
}
__global__ void short_rows(const float* x, float* y) {
  const float value = x[threadIdx.y * 64 + threadIdx.x];  // [rows of eight]
  y[threadIdx.y * 8 + threadIdx.x] = value;
}
template <int apart, int swizzle>
__global__ void copied(const float4* x, float4* y) {
  __shared__ __align__(128) float4 tile[64];
  const int i = threadIdx.x;
  __pipeline_memcpy_async(&tile[(i ^ i / 8 * swizzle) * apart], x + i, 16);  // [piece]
  __pipeline_commit();
  __pipeline_wait_prior(0);
  y[i] = tile[(i ^ i / 8 * swizzle) * apart];
}

static void fixture() {
  constexpr int n = 1 << 16;
  float *in, *out;
  int* counts;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&counts, 8 * sizeof(int));
  cudaMemset(in, 0, n * sizeof(float));
  cudaMemset(counts, 0, 8 * sizeof(int));
  strided<<<1, 32>>>(in, out);
  transposed<<<1, dim3(32, 32)>>>(in, out);
  broadcast<<<1, 32>>>(in, out);
  through_tile<0><<<1, dim3(32, 32)>>>(in, out);
  through_tile<1><<<1, dim3(32, 32)>>>(in, out);
  four_wide<<<4, 32>>>((float4*)in, (float4*)out);
  structs<<<1, 32>>>((Point*)in, out);
  misaligned<<<1, 32>>>(in, out);
  half_of_the_lanes<<<1, 32>>>(in, out);
  two_way<<<1, 32>>>(out);
  atomics<<<1, 32>>>(counts, counts + 4);
  inner_loop<<<1, 32>>>(in, out);
  trip_counts<<<1, 32>>>(in, out);
  early_exit<<<1, 32>>>(in, out);
  device_function<<<1, 32>>>(in, out);
  short_rows<<<1, dim3(8, 4)>>>(in, out);
  copied<1, 0><<<1, 32>>>((float4*)in, (float4*)out);
  copied<1, 1><<<1, 32>>>((float4*)in, (float4*)out);
  copied<2, 0><<<1, 32>>>((float4*)in, (float4*)out);
  EXPECT(cudaGetLastError() == cudaSuccess);
  cudaFree(in);
  cudaFree(out);
  cudaFree(counts);
}
