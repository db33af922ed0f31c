// Kernels whose requests, sectors and wavefronts can be worked out by hand; the expectations are in
// counters_test.cpp, in the order of the launches.
#include "expect.cuh"

__global__ void copy(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}
__global__ void every_second(const float* x, float* y) {
  y[threadIdx.x] = x[2 * threadIdx.x];
}
__global__ void off_by_one(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x + 1];
}
__global__ void one_for_all(const float* x, float* y) {
  y[threadIdx.x] = x[0];
}
__global__ void half_a_warp(const float* x, float* y) {
  if (threadIdx.x < 16) y[threadIdx.x] = x[threadIdx.x];
}
__global__ void bytes(const char* x, char* y) {
  y[threadIdx.x] = x[threadIdx.x];
}
__global__ void four_wide(const float4* x, float4* y) {
  y[threadIdx.x] = x[threadIdx.x];
}

__global__ void transpose_naive(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
template <int padding>
__global__ void transpose_tile(const float* in, float* out, int n) {
  __shared__ float tile[32][32 + padding];
  const int x = blockIdx.x * 32, y = blockIdx.y * 32;
  tile[threadIdx.y][threadIdx.x] = in[(y + threadIdx.y) * n + x + threadIdx.x];
  __syncthreads();
  out[(x + threadIdx.y) * n + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void shared_broadcast(float* y) {
  __shared__ float s[2];
  if (threadIdx.x == 0) s[1] = 3;
  __syncthreads();
  y[threadIdx.x] = s[1];
}
__global__ void shared_four_wide(float4* y) {
  __shared__ float4 s[32];
  s[threadIdx.x] = make_float4(1, 2, 3, 4);
  __syncthreads();
  y[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void shared_every_second(float* y) {
  __shared__ float s[64];
  s[2 * threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = s[2 * threadIdx.x];
}

// Lanes that skip an iteration belong to the next one, not to this.
__global__ void take_turns(const float* x, float* y) {
  const int lane = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 8; k++) {
    if ((lane + k) & 1) continue;
    sum += x[k * 32 + lane];
  }
  y[lane] = sum;
}
__device__ __noinline__ float read(const float* x, int i) {
  return x[i];
}
__global__ void nested(const float* x, float* y) {
  const int lane = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < 4; i++) {
    if ((lane >> i) & 1) {
      for (int j = 0; j <= i; j++) sum += x[(i * 4 + j) * 32 + lane];
    }
    sum += read(x, lane + 32 * i);
  }
  y[lane] = sum;
}
__global__ void triangle(const float* x, float* y) {
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < threadIdx.x; j++) sum += x[j * 32 + threadIdx.x];
  y[threadIdx.x] = sum;
}
__global__ void leave_early(const float* x, float* y) {
  const int lane = threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 16; j++) {
    if (j == lane / 4) continue;
    if (j > lane) break;
    sum += x[j * 32 + lane];
  }
  y[lane] = sum;
}
// Compilers jump from the loop's condition straight into the branch or past it.
__global__ void new_maximum(const float* x, float* y) {
  const int lane = threadIdx.x;
  float max = 0, sum = 0;
  for (int k = 0; k < 16; k++) {
    const float value = x[k * 32 + lane] + (k * lane) % 11;
    if (value > max) {
      sum *= expf(max - value);
      max = value;
    }
    sum += expf(value - max);
  }
  y[lane] = sum;
}
__device__ __noinline__ float sum_of(const float* x, int n) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++) sum += x[i];
  return sum;
}
__global__ void calls(const float* x, float* y) {
  const int lane = threadIdx.x;
  float sum = 0;
  if (lane & 1) sum = sum_of(x, lane);
  y[lane] = sum + sum_of(x, 4);
}
__global__ void long_loop(const float* x, float* y) {
  float sum = 0;
  for (int i = 0; i < 10000; i++) sum += x[i];
  y[threadIdx.x] = sum;
}
__device__ __align__(32) float variable[64];
__constant__ float weights[64];
__constant__ const float fixed_weights[2] = {1, 2};
__global__ void variables(float* y) {
  const int lane = threadIdx.x;
  variable[lane] = weights[2 * lane] + fixed_weights[lane % 2];
  __syncwarp();
  y[lane] = variable[lane ^ 1];
}
__global__ void through_texture(cudaTextureObject_t texture, float* y) {
  y[threadIdx.x] = tex1Dfetch<float>(texture, 2 * threadIdx.x);
}

static void fixture() {
  constexpr int n = 256 * 256;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  copy<<<64, 256>>>(in, out);
  every_second<<<1, 64>>>(in, out);
  off_by_one<<<1, 32>>>(in, out);
  one_for_all<<<1, 32>>>(in, out);
  half_a_warp<<<1, 32>>>(in, out);
  bytes<<<1, 32>>>((char*)in, (char*)out);
  four_wide<<<1, 32>>>((float4*)in, (float4*)out);
  const dim3 grid(8, 8), block(32, 32);
  transpose_naive<<<grid, block>>>(in, out, 256);
  transpose_tile<0><<<grid, block>>>(in, out, 256);
  transpose_tile<1><<<grid, block>>>(in, out, 256);
  shared_broadcast<<<1, 32>>>(out);
  shared_four_wide<<<1, 32>>>((float4*)out);
  shared_every_second<<<1, 32>>>(out);
  take_turns<<<1, 32>>>(in, out);
  nested<<<1, 32>>>(in, out);
  triangle<<<1, 32>>>(in, out);
  leave_early<<<1, 32>>>(in, out);
  new_maximum<<<1, 32>>>(in, out);
  calls<<<1, 32>>>(in, out);
  long_loop<<<1, 64>>>(in, out);
  variables<<<1, 32>>>(out);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 48 * sizeof(float);  // the last 8 lanes fetch nothing
  const cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  EXPECT(cudaCreateTextureObject(&texture, &resource, &description, nullptr) == cudaSuccess);
  through_texture<<<1, 32>>>(texture, out);
  EXPECT(cudaGetLastError() == cudaSuccess);
  cudaFree(in);
  cudaFree(out);
}
