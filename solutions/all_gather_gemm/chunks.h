#pragma once
// Products of chunks of rows, each as soon as a copy engine has brought it.

#include "../common/any_gemm.h"
#include "../common/copy_streams.h"
#include "../common/store_pairs.h"

constexpr int CHUNK = 1024;  // rows

/// Room for A, behind 64 KiB of flags.
inline __nv_bfloat16* gathered(void* scratch) {
  return static_cast<__nv_bfloat16*>(scratch) + (32 << 10);
}

/// Starts the copies of all peers' rows in a stream of their own, a chunk at a time, and calls
/// arrived(row, rows, stream) behind each. A device begins with the rows of the next one, so that
/// no two devices read from the same one at the same time.
template <class Arrived>
void copy_chunks(int g, const __nv_bfloat16* const* A, void* scratch, int shard, int K, int gpus,
                 cudaStream_t copies, const Arrived& arrived) {
  for (int step = 1; step < gpus; ++step) {
    const int h = (g + step) % gpus;
    for (int first = 0; first < shard; first += CHUNK) {
      const int row = h * shard + first, rows = min(CHUNK, shard - first);
      cudaMemcpyPeerAsync(gathered(scratch) + static_cast<size_t>(row) * K, g,
                          A[h] + static_cast<size_t>(first) * K, h,
                          static_cast<size_t>(rows) * K * sizeof(__nv_bfloat16), copies);
      arrived(row, rows);
    }
  }
}

/// The own rows need no copy: their product hides the first chunks.
inline void gemm_by_chunks(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                           __nv_bfloat16* const* C, void* const* scratch, int M, int N, int K,
                           int gpus, const cudaStream_t* streams) {
  static Events events;
  static CopyStreams copies;
  const CurrentDevice restore;
  const int shard = M / gpus;
  events.meet(streams, gpus);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    const auto multiply = [&](const __nv_bfloat16* from, int row, int rows) {
      const StorePairs store{C[g] + static_cast<size_t>(row) * N, rows, N};
      any_shape::gemm(from, B[g], rows, N, K, store, streams[g]);
    };
    copies.order(g, streams[g], copies.of(g));
    multiply(A[g], g * shard, shard);
    copy_chunks(g, A, scratch[g], shard, K, gpus, copies.of(g), [&](int row, int rows) {
      copies.order(g, copies.of(g), streams[g]);
      multiply(gathered(scratch[g]) + static_cast<size_t>(row) * K, row, rows);
    });
  }
  events.meet(streams, gpus);
}
