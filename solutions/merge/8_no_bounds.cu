// One element more of each array settles every comparison: a step of the merge checks no bounds.
//
// In rung 7 a step tests whether the stretch of A or of B has ended. But the elements behind the
// stretches lose each comparison that a thread makes here. So they are loaded, too; behind the last
// of A stands NaN, and infinity behind the last of B. Outputs go to a third buffer: two barriers
// per tile. Blocks get equal shares of the outputs, not whole tiles.
//
// Prediction: 8 instructions per step instead of 15, and stores of 16 bytes: 30 per output instead
// of 47, 64 us of issue slots at 33554432x33554432. With two barriers instead of four: 155 us.
// Missed: 3 % less than rung 7. Shared memory is busy with loads at random places, as before.
// Measured: 173.2 us at 33554432x33554432, 73 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include <cuda_pipeline_primitives.h>

#include "../common/aligned.h"
#include "../common/resident_blocks.h"
#include "open_merge.h"

constexpr int THREADS = 256;  // that merge; one more warp searches
constexpr int ITEMS = 23;
using Tile = OpenTile<THREADS, ITEMS>;
constexpr int STAGE = Tile::SIZE + 16;  // stretches begin and end within groups of 4

struct Shared {
  float stages[2][STAGE];
  float outputs[Tile::SIZE];
  int splits[4];  // of tile t in splits[t % 4]: the elements of A before it
};

// Where the elements of B are in a stage: behind a_count + 1 elements of A, the first a_first.
__device__ int start_of_b(int a_first, int a_count, int b_first) {
  return (a_first % 4 + a_count + 4) / 4 * 4 + b_first % 4;
}

// Starts to copy x[first] to x[end] to stage[first % 4] and what follows. x has n elements, and
// `last` in place of x[n].
__device__ void copy_stretch(float* stage, const float* x, int first, int end, int n, float last,
                             bool wide) {
  const int before = first / 4 * 4;
  for (int i = before + 4 * threadIdx.x; i <= end; i += 4 * THREADS) {
    float* to = stage + (i - before);
    if (wide && i + 4 <= n) {
      __pipeline_memcpy_async(to, x + i, 16);
    } else {
      for (int c = 0; c < 4 && i + c < n; ++c) __pipeline_memcpy_async(to + c, x + i + c, 4);
      if (n - i < 4) to[n - i] = last;
    }
  }
}

__global__ void __launch_bounds__(THREADS + 32)
    merge_kernel(const float* A, const float* B, float* C, int M, int N, int share, bool wide,
                 bool wide_out) {
  extern __shared__ float4 memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  int* splits = shared.splits;
  const int warp = threadIdx.x / 32;
  const bool is_worker = threadIdx.x < THREADS;
  const int begin = min(static_cast<long long>(blockIdx.x) * share, static_cast<long long>(M + N));
  const int end = begin + min(share, M + N - begin);
  const int tiles = kata::ceil_div(end - begin, Tile::SIZE);
  const auto diagonal_of = [&](int t) { return t < tiles ? begin + t * Tile::SIZE : end; };
  const auto find_split = [&](int t, int low, int high) {
    const int diagonal = diagonal_of(t);
    const int split =
        warp_merge_path(A, B, diagonal, max(low, diagonal - N), min(high, min(diagonal, M)));
    if (threadIdx.x % 32 == 0) splits[t % 4] = split;
  };
  const auto start_copy = [&](int t) {
    if (t < tiles) {
      float* stage = shared.stages[t % 2];
      const int a_first = splits[t % 4], a_end = splits[(t + 1) % 4];
      const int b_first = diagonal_of(t) - a_first, b_end = diagonal_of(t + 1) - a_end;
      const int b_start = start_of_b(a_first, a_end - a_first, b_first) - b_first % 4;
      copy_stretch(stage, A, a_first, a_end, M, NAN, wide);
      copy_stretch(stage + b_start, B, b_first, b_end, N, INFINITY, wide);
    }
    __pipeline_commit();  // of every tile one group, be it empty
  };
  if (warp < 3) find_split(warp, 0, M);
  __syncthreads();
  if (is_worker) start_copy(0);

  for (int t = 0; t < tiles; ++t) {
    if (is_worker) {
      start_copy(t + 1);
      __pipeline_wait_prior(1);
    }
    __syncthreads();  // tile t is here, and the outputs of tile t - 1 are stored
    const float* stage = shared.stages[t % 2];
    const int first = diagonal_of(t);
    const int count = diagonal_of(t + 1) - first;
    if (is_worker) {
      const int a_first = splits[t % 4], a_count = splits[(t + 1) % 4] - a_first;
      const float* b = stage + start_of_b(a_first, a_count, first - a_first);
      Tile::merge(shared.outputs, stage + a_first % 4, a_count, b, count - a_count);
    } else {
      const int before = splits[(t + 2) % 4];
      find_split(t + 3, before, before + Tile::SIZE);
    }
    __syncthreads();  // all outputs are there, and the stage is free for the next copy
    if (is_worker) Tile::store(C + first, shared.outputs, count, wide_out);
  }
}

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  static const int most = resident_blocks(merge_kernel, THREADS + 32, sizeof(Shared));
  const int grid = min(most, kata::ceil_div(M + N, Tile::SIZE));
  const int share = kata::ceil_div(kata::ceil_div(M + N, grid), 4) * 4;  // whole float4
  merge_kernel<<<grid, THREADS + 32, sizeof(Shared)>>>(
      A, B, C, M, N, share, is_aligned16(A) && is_aligned16(B), is_aligned16(C));
}
