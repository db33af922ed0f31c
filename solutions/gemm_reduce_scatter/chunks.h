#pragma once
// The product in chunks of rows, each copied to the device that adds it as soon as it is done.

#include "../common/any_gemm.h"
#include "../common/copy_streams.h"
#include "../common/store_pairs.h"
#include "parts.h"

constexpr int CHUNK = 1024;  // rows

/// A device starts with the rows of the next one, so that no two devices send to the same one at
/// the same time; its own rows are last, and need no copy.
inline void send_chunks(int g, const __nv_bfloat16* A, const __nv_bfloat16* B, void* const* scratch,
                        int M, int N, int K, int gpus, cudaStream_t stream, CopyStreams& copies) {
  const int shard = M / gpus;
  const PartMemory memory(scratch[g], M, N);
  const auto multiply = [&](int row, int rows, __nv_bfloat16* to) {
    any_shape::gemm(A + static_cast<size_t>(row) * K, B, rows, N, K, StorePairs{to, rows, N},
                    stream);
  };
  for (int step = 1; step < gpus; ++step) {
    const int h = (g + step) % gpus;
    __nv_bfloat16* const slot =
        PartMemory(scratch[h], M, N).slots + static_cast<size_t>(g) * shard * N;
    for (int first = 0; first < shard; first += CHUNK) {
      const int rows = min(CHUNK, shard - first);
      __nv_bfloat16* const part = memory.own + static_cast<size_t>(h * shard + first) * N;
      multiply(h * shard + first, rows, part);
      copies.order(g, stream, copies.of(g));
      cudaMemcpyPeerAsync(slot + static_cast<size_t>(first) * N, h, part, g,
                          static_cast<size_t>(rows) * N * sizeof(__nv_bfloat16), copies.of(g));
    }
  }
  multiply(g * shard, shard, memory.slots + static_cast<size_t>(g) * shard * N);
  copies.order(g, copies.of(g), stream);
}

/// Slots belong to another device, which may still add up the parts of the last call: the devices
/// meet before the first copy, and after the last.
inline void gemm_by_chunks(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                           __nv_bfloat16* const* C, void* const* scratch, int M, int N, int K,
                           int gpus, const cudaStream_t* streams) {
  static Events events;
  static CopyStreams copies;
  const CurrentDevice restore;
  events.meet(streams, gpus);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    send_chunks(g, A[g], B[g], scratch, M, N, K, gpus, streams[g], copies);
  }
  events.meet(streams, gpus);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    sum_parts(PartMemory(scratch[g], M, N).slots, C[g], M / gpus, N, gpus, streams[g]);
  }
}
