// The five kernels that the emulator's speed is measured with (kernel_bench.cpp), each as people
// write it. Sizes that their tiles divide.

#include <cuda_runtime.h>

namespace {

constexpr int TILE = 32;

__global__ void sgemm_naive(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

__global__ void sgemm_tiled(const float* A, const float* B, float* C, int n) {
  __shared__ float a_tile[TILE][TILE];
  __shared__ float b_tile[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty;
  const int col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < n; k0 += TILE) {
    a_tile[ty][tx] = A[row * n + k0 + tx];
    b_tile[ty][tx] = B[(k0 + ty) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();
  }
  C[row * n + col] = sum;
}

constexpr int BLOCK = 128;  // rows and columns of C for each thread block
constexpr int DEPTH = 8;    // of a tile
constexpr int EACH = 8;     // rows and columns of C for each thread

__global__ void sgemm_registers(const float* A, const float* B, float* C, int n) {
  __shared__ float a_tile[DEPTH][BLOCK];  // transposed
  __shared__ float b_tile[DEPTH][BLOCK];
  const int t = threadIdx.x, tx = t % (BLOCK / EACH), ty = t / (BLOCK / EACH);
  const float* a_from = A + blockIdx.y * BLOCK * n;
  const float* b_from = B + blockIdx.x * BLOCK;
  float* c_to = C + blockIdx.y * BLOCK * n + blockIdx.x * BLOCK;
  const int a_row = t / (DEPTH / 4), a_col = t % (DEPTH / 4) * 4;
  const int b_row = t / (BLOCK / 4), b_col = t % (BLOCK / 4) * 4;
  float sum[EACH][EACH] = {}, a[EACH], b[EACH];
  for (int k0 = 0; k0 < n; k0 += DEPTH) {
    const float4 four = *reinterpret_cast<const float4*>(&a_from[a_row * n + a_col]);
    a_tile[a_col + 0][a_row] = four.x;
    a_tile[a_col + 1][a_row] = four.y;
    a_tile[a_col + 2][a_row] = four.z;
    a_tile[a_col + 3][a_row] = four.w;
    *reinterpret_cast<float4*>(&b_tile[b_row][b_col]) =
        *reinterpret_cast<const float4*>(&b_from[b_row * n + b_col]);
    __syncthreads();
    a_from += DEPTH;
    b_from += DEPTH * n;
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
#pragma unroll
      for (int i = 0; i < EACH; i += 4) {
        *reinterpret_cast<float4*>(&a[i]) =
            *reinterpret_cast<const float4*>(&a_tile[k][ty * EACH + i]);
        *reinterpret_cast<float4*>(&b[i]) =
            *reinterpret_cast<const float4*>(&b_tile[k][tx * EACH + i]);
      }
#pragma unroll
      for (int i = 0; i < EACH; ++i) {
#pragma unroll
        for (int j = 0; j < EACH; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < EACH; ++i) {
    for (int j = 0; j < EACH; j += 4) {
      *reinterpret_cast<float4*>(&c_to[(ty * EACH + i) * n + tx * EACH + j]) =
          make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
    }
  }
}

constexpr int THREADS = 256;

__global__ void sum_by_halving(const float* x, float* sum, int n) {
  __shared__ float partial[THREADS];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 2 * THREADS + t;
  partial[t] = (i < n ? x[i] : 0.0f) + (i + THREADS < n ? x[i + THREADS] : 0.0f);
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s /= 2) {
    if (t < s) partial[t] += partial[t + s];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, partial[0]);
}

__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, offset);
  }
  return value;
}

__global__ void sum_by_shuffle(const float* x, float* sum, int n) {
  __shared__ float of_warp[THREADS / 32];
  const int t = threadIdx.x;
  float value = 0.0f;
  for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) value += x[i];
  value = warp_sum(value);
  if (t % 32 == 0) of_warp[t / 32] = value;
  __syncthreads();
  if (t >= 32) return;
  value = warp_sum(t < THREADS / 32 ? of_warp[t] : 0.0f);
  if (t == 0) atomicAdd(sum, value);
}

}  // namespace

// What kernel_bench.cpp calls.
extern "C" {

void naive(const float* A, const float* B, float* C, int n) {
  sgemm_naive<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(A, B, C, n);
}
void tiled(const float* A, const float* B, float* C, int n) {
  sgemm_tiled<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(A, B, C, n);
}
void registers(const float* A, const float* B, float* C, int n) {
  sgemm_registers<<<dim3(n / BLOCK, n / BLOCK), 256>>>(A, B, C, n);
}
void halving(const float* x, const float*, float* sum, int n) {
  sum_by_halving<<<n / (2 * THREADS), THREADS>>>(x, sum, n);
}
void shuffle(const float* x, const float*, float* sum, int n) {
  sum_by_shuffle<<<256, THREADS>>>(x, sum, n);
}
}
