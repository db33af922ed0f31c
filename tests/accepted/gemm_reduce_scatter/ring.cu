// A ring: sums in float travel from device to device, and each adds its own part on the way.
#include <cuda_bf16.h>
#include <kata/kata.h>

// One thread per result: its own part, and what came from the left.
__global__ void add_own_part(const __nv_bfloat16* A, const __nv_bfloat16* B, const float* before, float* sums,
                             __nv_bfloat16* C, int N, int K) {
  const int row = blockIdx.x;
  for (int col = threadIdx.x; col < N; col += blockDim.x) {
    const size_t i = size_t(row) * N + col;
    float sum = before ? before[i] : 0;
    for (int k = 0; k < K; ++k) sum += __bfloat162float(A[size_t(row) * K + k]) * __bfloat162float(B[size_t(k) * N + col]);
    if (C) C[i] = __float2bfloat16(sum);
    if (!C) sums[i] = sum;
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
  const int rows = M / gpus;
  // Two buffers in turn: one is sent while the other is filled.
  const auto buffer = [&](int device, int step) {
    return static_cast<float*>(scratch[device]) + 16384 + (gpus > 1 ? step % 2 * size_t(rows) * N : 0);
  };
  for (int step = 1; step <= gpus; ++step) {
    order_all(streams, gpus);
    for (int g = 0; g < gpus; ++g) {
      const int owner = (g - step + gpus) % gpus, left = (g + gpus - 1) % gpus;  // this device's rows come last
      cudaSetDevice(g);
      add_own_part<<<rows, 48, 0, streams[g]>>>(A[g] + size_t(owner) * rows * K, B[g],
                                                step > 1 ? buffer(left, step - 1) : nullptr, buffer(g, step),
                                                step == gpus ? C[g] : nullptr, N, K);
    }
  }
  order_all(streams, gpus);
  cudaSetDevice(before);
}
