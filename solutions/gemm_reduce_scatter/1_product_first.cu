// Multiply, then fetch the peers' parts, then add.
//
// Each device computes its whole product in scratch memory. When all are done, each copies the
// parts of its own rows from everyone and adds them up in float. A part is rounded to bf16 before
// it travels: half of the bytes, and one rounding more.
//
// Prediction: at M 8192, N 4096, K 7168 on 2 devices the product takes 2.4 ms on mma.sync at 200
// TFLOP/s. Then 33.5 MB come from the peer, 0.093 ms at 360 GB/s, and the sum moves 100 MB, 0.035
// ms: 2.55 ms. On 4 devices with half of K 1.2, 0.14 and 0.03 ms: 1.39 ms. The rung to reach in 30
// minutes.
// Measured: 2251.2 us at 8192x4096x7168x2, 23 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "../common/any_gemm.h"
#include "../common/devices.h"
#include "../common/store_pairs.h"
#include "parts.h"

extern "C" void gemm_reduce_scatter(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                    __nv_bfloat16* const* C, void* const* scratch, int M, int N,
                                    int K, int gpus, const cudaStream_t* streams) {
  static Events events;
  const CurrentDevice restore;
  const size_t part = static_cast<size_t>(M / gpus) * N, bytes = part * sizeof(__nv_bfloat16);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    const PartMemory memory(scratch[g], M, N);
    any_shape::gemm(A[g], B[g], M, N, K, StorePairs{memory.own, M, N}, streams[g]);
  }
  const auto own = [&](int h) { return PartMemory(scratch[h], M, N).own; };
  events.meet(streams, gpus);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    const PartMemory memory(scratch[g], M, N);
    for (int h = 0; h < gpus; ++h)
      cudaMemcpyPeerAsync(memory.slots + h * part, g, own(h) + g * part, h, bytes, streams[g]);
    sum_parts(memory.slots, C[g], M / gpus, N, gpus, streams[g]);
  }
  events.meet(streams, gpus);
}
