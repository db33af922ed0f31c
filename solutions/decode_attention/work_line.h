#pragma once
// The line of rung 6: the tiles of 16 keys of all sequences, shared out equally.
//
// A unit is up to 16 heads of a kv head. The blocks are groups of one block per unit; all blocks of
// a group have the same stretch of the line, so that they read neighbouring memory at the same
// time: the caches have the kv heads of a key side by side. With T tiles and G groups, group i has
// tiles [T i / G, T (i + 1) / G).

#include "../common/block_scan.h"
#include "../common/scratch.h"
#include "tensor_rows.h"

__host__ __device__ inline int units_of(const Cache& cache) {
  return cache.kv_heads * kata::ceil_div(cache.group(), ROWS);
}

// Tiles [first_tile, end_tile) of a sequence; `first` is the number of its tile 0 on the line.
struct Stretch {
  int sequence, first_tile, end_tile, tiles;
  long long first;

  __device__ bool is_complete() const { return first_tile == 0 && end_tile == tiles; }
  __device__ int begin() const { return first_tile * WARP_KEYS; }
  __device__ int end(const Cache& cache) const {
    return min(end_tile * WARP_KEYS, cache.lengths[sequence]);
  }
};

class WorkLine {
 public:
  // All threads of the block call it.
  __device__ WorkLine(const Cache& cache, int batch) : cache_(cache) {
    __shared__ int sequence;
    __shared__ long long first;
    const int per_thread = kata::ceil_div(batch, THREADS);
    const int begin = min(threadIdx.x * per_thread, batch);
    const int end = min(begin + per_thread, batch);
    long long mine = 0;
    for (int b = begin; b < end; ++b) mine += tiles_of(b);
    long long before = block_exclusive_scan<THREADS>(mine, total_);
    groups_ = min(static_cast<long long>(gridDim.x / units_of(cache)), total_);
    at_ = begin_of(group());
    end_ = begin_of(group() + 1);
    if (before <= at_ && at_ < before + mine) {
      int b = begin;
      for (; before + tiles_of(b) <= at_; ++b) before += tiles_of(b);
      sequence = b;
      first = before;
    }
    __syncthreads();
    if (!has_work()) return;
    sequence_ = sequence;
    first_ = first;
  }

  __device__ bool has_work() const { return at_ < end_; }

  __device__ Stretch next() {
    const int tiles = tiles_of(sequence_), tile = static_cast<int>(at_ - first_);
    const int count = static_cast<int>(min(static_cast<long long>(tiles - tile), end_ - at_));
    const Stretch stretch = {sequence_, tile, tile + count, tiles, first_};
    at_ += count;
    if (tile + count == tiles) {
      first_ += tiles;
      ++sequence_;
    }
    return stretch;
  }

  // The groups that share the sequence of a stretch: the first one, and how many.
  __device__ int first_group_of(const Stretch& s) const { return group_at(s.first); }
  __device__ int all_groups_of(const Stretch& s) const {
    return group_at(s.first + s.tiles - 1) - group_at(s.first) + 1;
  }

  // How many groups share the sequence of this stretch, from this one on.
  __device__ int groups_of(const Stretch& s) const {
    int last = group();
    while (begin_of(last + 1) < s.first + s.tiles) ++last;
    return last - group() + 1;
  }

 private:
  __device__ int group() const { return blockIdx.x / units_of(cache_); }
  __device__ int tiles_of(int sequence) const {
    return kata::ceil_div(cache_.lengths[sequence], WARP_KEYS);
  }
  __device__ long long begin_of(long long group) const {
    return total_ * min(group, groups_) / groups_;
  }
  // The last group i with total i / groups < tile + 1.
  __device__ int group_at(long long tile) const {
    return static_cast<int>(((tile + 1) * groups_ - 1) / total_);
  }

  const Cache& cache_;
  int sequence_ = 0;
  long long first_ = 0;       // the number of the sequence's first tile
  long long total_, groups_;  // of the line; the groups that have work
  long long at_, end_;        // of this block
};

// The heads of a unit: `count` rows of q and out from `row` on.
struct Heads {
  int kv_head, count;
  size_t row;

  __device__ Heads(const Stretch& s, const Cache& cache)
      : Heads(s.sequence, blockIdx.x % units_of(cache), cache) {}

  __device__ Heads(int sequence, int unit, const Cache& cache) {
    const int chunks = kata::ceil_div(cache.group(), ROWS), chunk = unit % chunks;
    kv_head = unit / chunks;
    count = min(ROWS, cache.group() - chunk * ROWS);
    row = static_cast<size_t>(sequence) * cache.heads + kv_head * cache.group() + chunk * ROWS;
  }
};

// A part of a unit: what its heads have so far, in units of exp(max).
template <int DIM>
struct Part {
  float max[ROWS], sum[ROWS], o[ROWS][DIM];

  __device__ void put(int head, int element, float its_max, float its_sum, float its_o) {
    o[head][element] = its_o;
    if (element == 0) {
      max[head] = its_max;
      sum[head] = its_sum;
    }
  }
};

// Rows that a block has begun and not ended: the first one, and how many parts they have.
struct Cut {
  size_t row;
  int heads, parts;
};

template <int DIM>
struct Cuts {
  Part<DIM>* parts;  // two for each block
  Cut* blocks;
};

// Writes what the block's warps have of a stretch: rows of `out` if it is complete, else a part.
template <int DIM>
__device__ void store_stretch(const WorkLine& line, const Stretch& s, const Heads& heads,
                              Rows<DIM>& rows, Merged<DIM>& merged, const Cuts<DIM>& cuts,
                              __half* out) {
  // The first part of a row is the last work of its block, so it has the second place.
  Part<DIM>& part = cuts.parts[2 * blockIdx.x + (s.first_tile == 0 ? 1 : 0)];
  merge_warps(merged, rows, heads.count, [&](int head, int element, float max, float sum, float o) {
    if (s.is_complete()) {
      out[(heads.row + head) * DIM + element] = __float2half(o / sum);
    } else {
      part.put(head, element, max, sum, o);
    }
  });
  if (s.first_tile == 0 && !s.is_complete() && threadIdx.x == 0) {
    cuts.blocks[blockIdx.x] = {heads.row, heads.count, line.groups_of(s)};
  }
  __syncthreads();  // `merged` is free
}

// Scratch memory for `blocks` blocks.
template <int DIM>
Cuts<DIM> make_cuts(int blocks) {
  static Scratch<Part<DIM>> parts;
  static Scratch<Cut> cuts;
  return {parts.get(2 * blocks), cuts.get(blocks)};
}

// Block i merges the rows that block i of the other kernel has begun and others have ended. A
// thread has an element; the parts' weights are computed once, by the warps together.
template <int DIM>
__global__ void __launch_bounds__(4 * DIM) merge_kernel(Cuts<DIM> cuts, int units, __half* out) {
  extern __shared__ float weights[];  // [ROWS][groups], scaled by 1 / sum
  const Cut cut = cuts.blocks[blockIdx.x];
  const int groups = gridDim.x / units;
  if (cut.parts == 0) return;
  const auto part = [&](int p) -> const Part<DIM>& {
    return cuts.parts[2 * (blockIdx.x + p * units) + (p == 0 ? 1 : 0)];
  };
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int head = warp; head < cut.heads; head += blockDim.x / 32) {
    float* weight = weights + head * groups;
    float max = -CUDART_INF_F, sum = 0.0f;
    for (int p = lane; p < cut.parts; p += 32) max = fmaxf(max, part(p).max[head]);
    for (int lanes = 16; lanes > 0; lanes /= 2) {
      max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, lanes));
    }
    for (int p = lane; p < cut.parts; p += 32) {
      weight[p] = __expf(part(p).max[head] - max);
      sum += weight[p] * part(p).sum[head];
    }
    const float factor = 1.0f / warp_sum_all(sum);
    for (int p = lane; p < cut.parts; p += 32) weight[p] *= factor;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < cut.heads * DIM; i += blockDim.x) {
    float o = 0.0f;
#pragma unroll 8
    for (int p = 0; p < cut.parts; ++p) {
      o += weights[i / DIM * groups + p] * part(p).o[i / DIM][i % DIM];
    }
    out[cut.row * DIM + i] = __float2half(o);
  }
}

// As many groups as share equal sequences without cutting them, if at most a sixteenth idles for
// it: 32 of 33 groups share 64 sequences.
inline int even_groups(int most, int batch) {
  const int even =
      batch < most ? most / batch * batch : kata::ceil_div(batch, kata::ceil_div(batch, most));
  return 16 * even >= 15 * most ? even : most;
}

inline int processors() {
  int device = 0, count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

// Whole groups, in all about `per_processor` blocks per multiprocessor.
inline int blocks_of(const Cache& cache, int batch, int per_processor = 2) {
  return even_groups(max(per_processor * processors() / units_of(cache), 1), batch) *
         units_of(cache);
}

template <int DIM>
void merge_cuts(const Cuts<DIM>& cuts, const Cache& cache, int blocks, __half* out) {
  const int units = units_of(cache);
  merge_kernel<DIM><<<blocks, 4 * DIM, ROWS*(blocks / units) * sizeof(float)>>>(cuts, units, out);
}
