#pragma once
// The line of rung 6: all tiles of 64 keys of all units of all sequences, shared out equally.
//
// A unit is up to 16 heads of a kv head. A sequence has the same number of tiles in each unit; the
// line goes through the sequences, in each through its units, in each through its tiles. With T tiles
// and G blocks, block i has tiles [T i / G, T (i + 1) / G).

#include "../common/block_scan.h"
#include "../common/scratch.h"
#include "tensor_rows.h"

// Tiles [first_tile, end_tile) of one unit; `first` is the number of its tile 0 on the line.
struct Stretch {
  int sequence, unit, first_tile, end_tile, tiles;
  long long first;

  __device__ bool is_complete() const { return first_tile == 0 && end_tile == tiles; }
};

class WorkLine {
 public:
  // All threads of the block call it.
  __device__ WorkLine(const Cache& cache, int batch)
      : cache_(cache), units_(cache.kv_heads * kata::ceil_div(cache.group(), ROWS)) {
    __shared__ int sequence;
    __shared__ long long first;
    const int per_thread = kata::ceil_div(batch, THREADS);
    const int begin = min(threadIdx.x * per_thread, batch);
    const int end = min(begin + per_thread, batch);
    long long mine = 0;
    for (int b = begin; b < end; ++b) mine += static_cast<long long>(tiles_of(b)) * units_;
    long long before = block_exclusive_scan<THREADS>(mine, total_);
    blocks_ = min(static_cast<long long>(gridDim.x), total_);
    at_ = begin_of(blockIdx.x);
    end_ = begin_of(blockIdx.x + 1);
    if (before <= at_ && at_ < before + mine) {
      int b = begin;
      for (; before + static_cast<long long>(tiles_of(b)) * units_ <= at_; ++b) {
        before += static_cast<long long>(tiles_of(b)) * units_;
      }
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
    const int tiles = tiles_of(sequence_);
    const int unit = static_cast<int>((at_ - first_) / tiles);
    const int tile = static_cast<int>((at_ - first_) % tiles);
    const int count = static_cast<int>(min(static_cast<long long>(tiles - tile), end_ - at_));
    const Stretch stretch = {sequence_, unit, tile, tile + count, tiles, at_ - tile};
    at_ += count;
    if (unit == units_ - 1 && tile + count == tiles) {
      first_ += static_cast<long long>(tiles) * units_;
      ++sequence_;
    }
    return stretch;
  }

  // How many blocks share the unit of this stretch, from this block on.
  __device__ int blocks_of(const Stretch& s) const {
    int last = blockIdx.x;
    while (begin_of(last + 1) < s.first + s.tiles) ++last;
    return last - blockIdx.x + 1;
  }

 private:
  __device__ int tiles_of(int sequence) const {
    return kata::ceil_div(cache_.lengths[sequence], KEYS);
  }
  __device__ long long begin_of(long long block) const {
    return total_ * min(block, blocks_) / blocks_;
  }

  const Cache& cache_;
  const int units_;  // of a sequence
  int sequence_ = 0;
  long long first_ = 0;            // the number of the sequence's first tile
  long long total_, blocks_;       // of the line; the blocks that have work
  long long at_, end_;             // of this block
};

// The heads of a unit: `count` rows of q and out from `row` on.
struct Heads {
  int kv_head, count;
  size_t row;

  __device__ Heads(const Stretch& s, const Cache& cache) {
    const int chunks = kata::ceil_div(cache.group(), ROWS), chunk = s.unit % chunks;
    kv_head = s.unit / chunks;
    count = min(ROWS, cache.group() - chunk * ROWS);
    row = static_cast<size_t>(s.sequence) * cache.heads + kv_head * cache.group() + chunk * ROWS;
  }
};

// A part of a unit: what its heads have so far, in units of exp(max).
template <int DIM>
struct Part {
  float max[ROWS], sum[ROWS], o[ROWS][DIM];
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
      part.o[head][element] = o;
      if (element == 0) {
        part.max[head] = max;
        part.sum[head] = sum;
      }
    }
  });
  if (s.first_tile == 0 && !s.is_complete() && threadIdx.x == 0) {
    cuts.blocks[blockIdx.x] = {heads.row, heads.count, line.blocks_of(s)};
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
__global__ void __launch_bounds__(4 * DIM) merge_kernel(Cuts<DIM> cuts, int blocks, __half* out) {
  extern __shared__ float weights[];  // [ROWS][parts], scaled by 1 / sum
  const Cut cut = cuts.blocks[blockIdx.x];
  if (cut.parts == 0) return;
  const auto part = [&](int p) -> const Part<DIM>& {
    return cuts.parts[2 * (blockIdx.x + p) + (p == 0 ? 1 : 0)];
  };
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int head = warp; head < cut.heads; head += blockDim.x / 32) {
    float* weight = weights + head * blocks;
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
      o += weights[i / DIM * blocks + p] * part(p).o[i / DIM][i % DIM];
    }
    out[cut.row * DIM + i] = __float2half(o);
  }
}

inline int two_blocks_per_processor() {
  int device = 0, processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  return 2 * processors;
}

template <int DIM>
void merge_cuts(const Cuts<DIM>& cuts, int blocks, __half* out) {
  merge_kernel<DIM><<<blocks, 4 * DIM, ROWS * blocks * sizeof(float)>>>(cuts, blocks, out);
}
