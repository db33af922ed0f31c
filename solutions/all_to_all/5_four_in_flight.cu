// Each thread has four pieces on the way.
//
// A store crosses the link without its thread, but the load before it does not: 65,536 threads with
// 16 bytes each have 1 MB on the way, and device memory answers after 0.7 us or more. So rung 4
// moves its own half of the rows and the peer's at 1 TB/s at most, and at less, since each turn
// also waits for its loads. Here all four loads of a turn are issued before the first store.
//
// Prediction: rung 4 takes 116 us at 4096 rows on 2 devices; what the link needs is 81 + 6, and the
// own rows then hide behind it: 95 us. 128 rows have one turn for half of the threads: 12 us still.
// Measured: 106.1 us at 4096x7168x2, 89 % of the limit (H200, 2026-11-30)
// Half of what was missing; the rest is not explained.
#include "targets.h"

__global__ void push_kernel(Sources all, Peers peers, int* received, int rows, int dim,
                            unsigned round) {
  __shared__ Target targets[MAX_GPUS];
  meet(peers, all.me, all.gpus, round);
  load_targets(all, received, targets);
  const int pieces = dim / 8, stride = gridDim.x * THREADS;
  const uint4* x = reinterpret_cast<const uint4*>(all.x[all.me]);
  const int all_pieces = rows * pieces;
  for (int first = blockIdx.x * THREADS + threadIdx.x; first < all_pieces; first += 4 * stride) {
    uint4 loaded[4];
    for (int k = 0; k < 4; ++k)
      if (first + k * stride < all_pieces) loaded[k] = x[first + k * stride];
    for (int k = 0; k < 4; ++k) {
      const int i = first + k * stride;
      if (i < all_pieces) *target_of_piece(peers, targets, i, pieces) = loaded[k];
    }
  }
  meet(peers, all.me, all.gpus, round + 1);  // all rows for this device have arrived
}

extern "C" void all_to_all(const __nv_bfloat16* const* x, const int* const* send,
                           __nv_bfloat16* const* y, int* const* received, void* const* scratch,
                           int rows, int dim, int gpus, const cudaStream_t* streams) {
  static unsigned round = 0;
  const CurrentDevice restore;
  Sources all = sources_of(x, send, gpus);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    all.me = g;
    push_kernel<<<blocks_for(rows, dim), THREADS, 0, streams[g]>>>(
        all, peers_of(y, scratch, gpus), received[g], rows, dim, round + 1);
  }
  round += 2;
}
