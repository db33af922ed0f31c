// Shards travel around a ring: each device multiplies what it has, while its neighbour copies it.
#include <cuda_bf16.h>
#include <kata/kata.h>

__global__ void shard_product(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int N, int K) {
  const int row = blockIdx.x, lane = threadIdx.x;
  for (int col = 0; col < N; ++col) {
    float sum = 0;
    for (int k = lane; k < K; k += 32)
      sum += __bfloat162float(A[size_t(row) * K + k]) * __bfloat162float(B[size_t(k) * N + col]);
    for (int other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(0xffffffff, sum, other);
    if (lane == 0) C[size_t(row) * N + col] = __float2bfloat16(sum);
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

extern "C" void all_gather_gemm(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                __nv_bfloat16* const* C, void* const* scratch, int M, int N, int K,
                                int gpus, const cudaStream_t* streams) {
  int before = 0;
  cudaGetDevice(&before);
  const size_t rows = M / gpus, shard = rows * K;
  const auto held = [&](int device, int h) -> const __nv_bfloat16* {
    return h == device ? A[h] : static_cast<__nv_bfloat16*>(scratch[device]) + 32768 + h * shard;
  };
  for (int step = 0; step < gpus; ++step) {
    order_all(streams, gpus);
    for (int g = 0; g < gpus; ++g) {
      cudaSetDevice(g);
      const int h = (g + step) % gpus, right = (g + 1) % gpus;
      if (step > 0)
        cudaMemcpyAsync(const_cast<__nv_bfloat16*>(held(g, h)), held(right, h), shard * 2, cudaMemcpyDefault, streams[g]);
      shard_product<<<rows, 32, 0, streams[g]>>>(held(g, h), B[g], C[g] + h * rows * N, N, K);
    }
  }
  order_all(streams, gpus);
  cudaSetDevice(before);
}
