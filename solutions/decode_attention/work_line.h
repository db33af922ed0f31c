#pragma once
// The line of rung 6: all tiles of 64 keys of all units of all sequences, shared out equally.
//
// A unit is up to 16 heads of a kv head. A sequence has the same number of tiles in each unit; the
// line goes through the sequences, in each through its units, in each through its tiles. With T tiles
// and G blocks, block i has tiles [T i / G, T (i + 1) / G).

#include "../common/block_scan.h"
#include "tensor_rows.h"

// Tiles [first_tile, end_tile) of one unit; `first` is the number of its tile 0 on the line.
struct Stretch {
  int sequence, unit, first_tile, end_tile, tiles;
  long long first;

  __device__ bool is_complete() const { return first_tile == 0 && end_tile == tiles; }
};

class WorkLine {
 public:
  // All threads of the block call it. `units` are those of one sequence.
  __device__ WorkLine(const Cache& cache, int batch, int units) : cache_(cache), units_(units) {
    __shared__ int sequence;
    __shared__ long long first;
    const int per_thread = kata::ceil_div(batch, THREADS);
    const int begin = min(threadIdx.x * per_thread, batch);
    const int end = min(begin + per_thread, batch);
    long long mine = 0;
    for (int b = begin; b < end; ++b) mine += static_cast<long long>(tiles_of(b)) * units;
    long long before = block_exclusive_scan<THREADS>(mine, total_);
    blocks_ = min(static_cast<long long>(gridDim.x), total_);
    at_ = begin_of(blockIdx.x);
    end_ = begin_of(blockIdx.x + 1);
    if (before <= at_ && at_ < before + mine) {
      int b = begin;
      for (; before + static_cast<long long>(tiles_of(b)) * units <= at_; ++b) {
        before += static_cast<long long>(tiles_of(b)) * units;
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
  int units_, sequence_ = 0;
  long long first_ = 0;            // the number of the sequence's first tile
  long long total_, blocks_;       // of the line; the blocks that have work
  long long at_, end_;             // of this block
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
