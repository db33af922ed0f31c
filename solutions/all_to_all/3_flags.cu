// The kernels of the devices meet by flags, without events.
//
// Block b of each device stores the number of the round into its peers' scratch and waits for
// theirs: once before it reads counts and rows, and once after it, when no peer still reads this
// device's inputs. An event takes the end of a kernel and the host's queue instead. The pieces of
// 16 bytes of all rows are numbered through, so that no thread is idle.
//
// Prediction: 337 GB/s of loads in both directions (measured on two H200s) bring 29 MB in 87 us,
// two meetings and a launch take 6: 93 us at 4096 rows on 2 devices. 128 rows: 3 + 6 = 9 us, where
// rung 2 takes 20.
// Measured: 127.9 us at 4096x7168x2, 74 % of the limit (H200, 2026-11-30)
// With one load on the way, each thread copies too little at a time: rung 5.
#include "meet.h"

__global__ void pull_kernel(Sources all, Peers peers, int* received, int rows, int dim,
                            unsigned round) {
  __shared__ Part parts[MAX_GPUS];
  meet(peers, all.me, all.gpus, round);  // the peers' streams have reached this call
  load_parts(all, parts);
  if (blockIdx.x == 0 && threadIdx.x < all.gpus) received[threadIdx.x] = parts[threadIdx.x].count;
  const int pieces = dim / 8, stride = gridDim.x * THREADS;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < all.gpus * rows * pieces; i += stride) {
    const __nv_bfloat16* from = source_row(all, parts, i / pieces, dim);
    if (!from) break;
    reinterpret_cast<uint4*>(peers.y[all.me])[i] = reinterpret_cast<const uint4*>(from)[i % pieces];
  }
  meet(peers, all.me, all.gpus, round + 1);  // no peer still reads this device's rows
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
    pull_kernel<<<blocks_for(gpus * rows, dim), THREADS, 0, streams[g]>>>(
        all, peers_of(y, scratch, gpus), received[g], rows, dim, round + 1);
  }
  round += 2;
}
