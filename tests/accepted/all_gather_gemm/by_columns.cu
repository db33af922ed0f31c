// Each device stores its rows as columns in the scratch of all, so that neighbouring threads of the
// product read neighbouring elements; a thread computes four rows.
#include <cuda_bf16.h>
#include <kata/kata.h>

struct Scratches {
  __nv_bfloat16* columns[8];  // [K, M]
};

__global__ void spread(const __nv_bfloat16* A, Scratches to, int first, int shard, int M, int K, int gpus) {
  __shared__ __nv_bfloat16 tile[16][17];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16, k0 = blockIdx.x * 16, row0 = blockIdx.y * 16;
  if (row0 + y < shard && k0 + x < K) tile[y][x] = A[size_t(row0 + y) * K + k0 + x];
  __syncthreads();
  if (row0 + x < shard && k0 + y < K)
    for (int g = 0; g < gpus; ++g) to.columns[g][size_t(k0 + y) * M + first + row0 + x] = tile[x][y];
}

__global__ void four_rows(const __nv_bfloat16* columns, const __nv_bfloat16* B, __nv_bfloat16* C, int M, int N, int K) {
  const int row = 4 * (blockIdx.x * blockDim.x + threadIdx.x), col = blockIdx.y;
  if (row >= M) return;
  float sum[4] = {};
  for (int k = 0; k < K; ++k)
    for (int i = 0; i < 4 && row + i < M; ++i)
      sum[i] += __bfloat162float(columns[size_t(k) * M + row + i]) * __bfloat162float(B[size_t(k) * N + col]);
  for (int i = 0; i < 4 && row + i < M; ++i) C[size_t(row + i) * N + col] = __float2bfloat16(sum[i]);
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

extern "C" void all_gather_gemm(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                __nv_bfloat16* const* C, void* const* scratch, int M, int N, int K,
                                int gpus, const cudaStream_t* streams) {
  int before = 0;
  cudaGetDevice(&before);
  Scratches all = {};
  for (int g = 0; g < gpus; ++g) all.columns[g] = static_cast<__nv_bfloat16*>(scratch[g]) + 32768;
  const int shard = M / gpus;
  order_all(streams, gpus);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    spread<<<dim3((K + 15) / 16, (shard + 15) / 16), 256, 0, streams[g]>>>(A[g], all, g * shard, shard, M, K, gpus);
  }
  order_all(streams, gpus);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    four_rows<<<dim3((M + 127) / 128, N), 32, 0, streams[g]>>>(all.columns[g], B[g], C[g], M, N, K);
  }
  cudaSetDevice(before);
}
