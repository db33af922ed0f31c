// Gather A by copies, then multiply.
//
// Each device copies the rows of its peers, and its own, into scratch memory, and multiplies when
// all have come. The copy engines need no SM, but the tensor cores wait for the last byte. Events
// make the copies wait for the inputs, and the caller's next work wait for the copies.
//
// Prediction: at M 8192, N 7168, K 4096 on 2 devices a device receives 33.5 MB, 0.093 ms at 360
// GB/s. The product takes 2.4 ms on mma.sync at 200 TFLOP/s: 2.5 ms. On 4 devices with half of N
// 0.14 ms and 1.2 ms: 1.34 ms. The rung to reach in 30 minutes.
// Measured: 2207.9 us at 8192x7168x4096x2, 23 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "../common/any_gemm.h"
#include "../common/devices.h"
#include "../common/store_pairs.h"

extern "C" void all_gather_gemm(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                __nv_bfloat16* const* C, void* const* scratch, int M, int N, int K,
                                int gpus, const cudaStream_t* streams) {
  static Events events;
  const CurrentDevice restore;
  const size_t shard = static_cast<size_t>(M / gpus) * K;  // elements of A on each device
  events.meet(streams, gpus);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    auto* const all = reinterpret_cast<__nv_bfloat16*>(static_cast<char*>(scratch[g]) + (64 << 10));
    for (int h = 0; h < gpus; ++h)
      cudaMemcpyPeerAsync(all + h * shard, g, A[h], h, shard * sizeof(__nv_bfloat16), streams[g]);
    any_shape::gemm(all, B[g], M, N, K, StorePairs{C[g], M, N}, streams[g]);
  }
  events.meet(streams, gpus);
}
