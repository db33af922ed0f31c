// Parts stay in float where they were computed, and the owner reads them across the link.
#include <cuda_bf16.h>
#include <kata/kata.h>

struct Parts {
  float* of[8];  // [M, N]
};

__global__ void multiply(const __nv_bfloat16* A, const __nv_bfloat16* B, float* part, int M, int N, int K) {
  __shared__ float a[16][16], b[16][16];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 16) {
    a[y][x] = row < M && k0 + x < K ? __bfloat162float(A[size_t(row) * K + k0 + x]) : 0;
    b[y][x] = col < N && k0 + y < K ? __bfloat162float(B[size_t(k0 + y) * N + col]) : 0;
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a[y][k] * b[k][x];
    __syncthreads();
  }
  if (row < M && col < N) part[size_t(row) * N + col] = sum;
}

__global__ void add(Parts all, __nv_bfloat16* C, size_t first, size_t count, int gpus) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    float sum = all.of[gpus - 1][first + i];
    for (int h = gpus - 2; h >= 0; --h) sum += all.of[h][first + i];
    C[i] = __float2bfloat16(sum);
  }
}

static void order_all(const cudaStream_t* streams, int gpus) {
  static cudaEvent_t events[8];
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    if (!events[g]) cudaEventCreateWithFlags(&events[g], cudaEventDisableTiming);
    cudaEventRecord(events[g], streams[g]);
  }
  for (int g = 0; g < gpus; ++g)
    for (int h = 0; h < gpus; ++h) cudaStreamWaitEvent(streams[g], events[h]);
}

extern "C" void gemm_reduce_scatter(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                    __nv_bfloat16* const* C, void* const* scratch, int M, int N,
                                    int K, int gpus, const cudaStream_t* streams) {
  int before = 0;
  cudaGetDevice(&before);
  Parts all = {};
  for (int g = 0; g < gpus; ++g) all.of[g] = static_cast<float*>(scratch[g]) + 16384;
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    multiply<<<dim3((N + 15) / 16, (M + 15) / 16), 256, 0, streams[g]>>>(A[g], B[g], all.of[g], M, N, K);
  }
  order_all(streams, gpus);
  const size_t count = size_t(M / gpus) * N;
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    add<<<4, 96, 0, streams[g]>>>(all, C[g], g * count, count, gpus);
  }
  order_all(streams, gpus);
  cudaSetDevice(before);
}
