// The same with 16 bytes per thread.
//
// A row is a multiple of 16 bytes. What a link carries is limited by how much is on the way: 360
// GB/s times a round trip of 1.5 us are 540 KB, and eight times as much per load fills that with an
// eighth of the threads.
//
// Prediction: each of 2 devices receives 29 MB, 82 us at 360 GB/s: 120 us with events and launches,
// and 165 us on 4. 128 rows take 25 us, nearly all of it events. The rung to reach in 30 minutes.
// Measured: 125.1 us at 4096x7168x2, 76 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "counts.h"

constexpr int THREADS = 256;
constexpr int MOST_BLOCKS = 1024;

__global__ void pull_kernel(Sources all, __nv_bfloat16* y, int* received, int rows, int dim) {
  __shared__ Part parts[MAX_GPUS];
  load_parts(all, parts);
  if (blockIdx.x == 0 && threadIdx.x < all.gpus) received[threadIdx.x] = parts[threadIdx.x].count;
  for (int row = blockIdx.x; row < all.gpus * rows; row += gridDim.x) {
    const uint4* from = reinterpret_cast<const uint4*>(source_row(all, parts, row, dim));
    if (!from) break;
    uint4* to = reinterpret_cast<uint4*>(y + static_cast<long long>(row) * dim);
    for (int i = threadIdx.x; i < dim / 8; i += THREADS) to[i] = from[i];
  }
}

extern "C" void all_to_all(const __nv_bfloat16* const* x, const int* const* send,
                           __nv_bfloat16* const* y, int* const* received, void* const* scratch,
                           int rows, int dim, int gpus, const cudaStream_t* streams) {
  (void)scratch;
  static Events events;
  const CurrentDevice restore;
  Sources all = sources_of(x, send, gpus);
  events.meet(streams, gpus);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    all.me = g;
    pull_kernel<<<min(gpus * rows, MOST_BLOCKS), THREADS, 0, streams[g]>>>(all, y[g], received[g],
                                                                           rows, dim);
  }
  events.meet(streams, gpus);
}
