// Each device stores its rows into the results of the others.
//
// A load waits for its answer across the link and needs its thread meanwhile; a store does not. The
// place in a peer's result depends on the counts of all lower devices, so each block reads them
// after the first meeting. That meeting also says that the peer's stream has reached this call:
// before it, the peer's result belongs to earlier work.
//
// Prediction: stores of 16 bytes reach 365 GB/s in both directions where loads reach 337 (two
// H200s): 81 + 6 = 87 us at 4096 rows on 2 devices. 128 rows: 9 us, as rung 3.
// Measured: 116.2 us at 4096x7168x2, 82 % of the limit (H200, 2026-11-30)
// What holds it back are the loads from its own memory: rung 5.
#include "targets.h"

__global__ void push_kernel(Sources all, Peers peers, int* received, int rows, int dim,
                            unsigned round) {
  __shared__ Target targets[MAX_GPUS];
  meet(peers, all.me, all.gpus, round);
  load_targets(all, received, targets);
  const int pieces = dim / 8, stride = gridDim.x * THREADS;
  const uint4* x = reinterpret_cast<const uint4*>(all.x[all.me]);
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < rows * pieces; i += stride) {
    *target_of_piece(peers, targets, i, pieces) = x[i];
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
