// The kernels whose counters were measured (h200_patterns.csv), in the order of the launches: each
// address pattern by each kind of access, then four kernels that people write.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int patterns = 19;

/// The element that a lane touches.
static int element(int pattern, int lane) {
  switch (pattern) {
    case 0:
      return lane;
    case 1:
      return 2 * lane;
    case 2:
      return 4 * lane;
    case 3:
      return 32 * lane;
    case 4:
      return 0;
    case 5:
      return lane / 2;
    case 6:
      return lane / 4;
    case 7:
      return lane / 8;
    case 8:
      return lane / 16;
    case 9:
      return lane % 16;
    case 10:
      return lane % 8;
    case 11:
      return lane % 4;
    case 12:
      return lane % 16 * 2;
    case 13:
      return lane * 33 % 64;
    case 14:
      return lane ^ 1;
    case 15:
      return lane % 8 * 8 + lane / 8;
    case 16:
      return lane % 2 * 8 + lane / 2;
    case 17:
      return 3 * lane;
    default:
      return 16 * lane;
  }
}

constexpr int shared_floats = 8192;

__device__ void fill(float* s) {
  for (int i = threadIdx.x; i < shared_floats; i += 32) s[i] = i;
  __syncwarp();
}

template <class T>
__device__ float sum(T value) {
  float result = 0;
  for (int i = 0; i < sizeof(T) / 4; i++) result += reinterpret_cast<float*>(&value)[i];
  return result;
}

template <class T>
__device__ T all(float value) {
  T result;
  for (int i = 0; i < sizeof(T) / 4; i++) reinterpret_cast<float*>(&result)[i] = value;
  return result;
}

template <class T>
__global__ void load_shared(const int* elements, float* out) {
  __shared__ __align__(16) float s[shared_floats];
  const int lane = threadIdx.x, j = elements[lane];
  fill(s);
  out[lane] = sum(reinterpret_cast<T*>(s)[j]);
}

template <class T>
__global__ void store_shared(const int* elements, float* out) {
  __shared__ __align__(16) float s[shared_floats];
  const int lane = threadIdx.x, j = elements[lane];
  fill(s);
  reinterpret_cast<T*>(s)[j] = all<T>(lane);
  __syncwarp();
  out[lane] = s[lane];
}

template <class T>
__global__ void load_global(const int* elements, float* x, float* out) {
  const int lane = threadIdx.x, j = elements[lane];
  out[lane] = sum(reinterpret_cast<T*>(x)[j]);
}

template <class T>
__global__ void store_global(const int* elements, float* x) {
  const int lane = threadIdx.x, j = elements[lane];
  reinterpret_cast<T*>(x)[j] = all<T>(lane);
}

__global__ void histogram(const int* elements, float* out) {
  __shared__ int s[2048];
  const int lane = threadIdx.x;
  s[lane] = 0;
  __syncwarp();
  atomicAdd(&s[elements[lane]], 1);
  __syncwarp();
  out[lane] = s[lane];
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

/// 128 x 128 of C by a block, 8 x 8 by a thread.
__global__ void sgemm(int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[8][128], Bs[8][128];
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  const int a_row = tid / 2, a_col = tid % 2 * 4, b_row = tid / 32, b_col = tid % 32 * 4;
  float acc[8][8] = {}, a[8], b[8];
  A += blockIdx.y * 128 * K;
  B += blockIdx.x * 128;
  C += blockIdx.y * 128 * N + blockIdx.x * 128;
  for (int k0 = 0; k0 < K; k0 += 8) {
    const float4 v = *(const float4*)&A[a_row * K + a_col];
    As[a_col][a_row] = v.x;
    As[a_col + 1][a_row] = v.y;
    As[a_col + 2][a_row] = v.z;
    As[a_col + 3][a_row] = v.w;
    *(float4*)&Bs[b_row][b_col] = *(const float4*)&B[b_row * N + b_col];
    __syncthreads();
    A += 8;
    B += 8 * N;
#pragma unroll
    for (int k = 0; k < 8; k++) {
      *(float4*)a = *(float4*)&As[k][ty * 8];
      *(float4*)(a + 4) = *(float4*)&As[k][ty * 8 + 4];
      *(float4*)b = *(float4*)&Bs[k][tx * 8];
      *(float4*)(b + 4) = *(float4*)&Bs[k][tx * 8 + 4];
      for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) acc[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j += 4)
      *(float4*)&C[(ty * 8 + i) * N + tx * 8 + j] =
          make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
}

template <class T>
static void launch_accesses(const int* elements, float* x, float* out) {
  load_shared<T><<<1, 32>>>(elements, out);
  store_shared<T><<<1, 32>>>(elements, out);
  load_global<T><<<1, 32>>>(elements, x, out);
  store_global<T><<<1, 32>>>(elements, x);
}

extern "C" int launch_all() {
  int* elements;
  float *x, *out, *in;
  const int n = 256;
  cudaMalloc(&elements, 32 * sizeof(int));
  cudaMalloc(&x, 65536);
  cudaMalloc(&out, n * n * sizeof(float));
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMemset(x, 0, 65536);
  cudaMemset(in, 0, n * n * sizeof(float));
  for (int pattern = 0; pattern < patterns; pattern++) {
    int of_lane[32];
    for (int lane = 0; lane < 32; lane++) of_lane[lane] = element(pattern, lane);
    cudaMemcpy(elements, of_lane, sizeof of_lane, cudaMemcpyHostToDevice);
    launch_accesses<float>(elements, x, out);
    launch_accesses<float2>(elements, x, out);
    launch_accesses<float4>(elements, x, out);
    histogram<<<1, 32>>>(elements, out);
  }
  const dim3 grid(8, 8), block(32, 32);
  transpose_naive<<<grid, block>>>(in, out, n);
  transpose_tile<0><<<grid, block>>>(in, out, n);
  transpose_tile<1><<<grid, block>>>(in, out, n);
  sgemm<<<dim3(2, 2), 256>>>(n, n, in, in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(elements);
  cudaFree(x);
  cudaFree(out);
  cudaFree(in);
  return error;
}

int main() {
  const int error = launch_all();
  std::puts(cudaGetErrorString(static_cast<cudaError_t>(error)));
  return error;
}
