#pragma once
// Rings of tiles for rung 8: each warp has its own, which the TMA unit fills ahead of it.
//
// A tile is 16 keys and their values, in panels of 64 elements, so rows of 128 bytes, which the TMA
// unit swizzles. Only the warp that a ring belongs to reads it, so that nobody else is waited for:
// it refills a place as soon as its lanes have read it.

#include "../common/hopper.h"
#include "work_line.h"

// 16 rows of the cache of one kv head.
template <int DIM>
using Panels = __half[DIM / 64][WARP_KEYS][64];

template <int DIM>
struct alignas(1024) KeyTile {
  Panels<DIM> keys, values;
};

// cache[batch, max_length, kv_heads, DIM] as (column, key, panel, kv head, sequence). Keys past
// max_length are zeros.
template <int DIM>
CUtensorMap cache_map(const __half* x, const Cache& cache, int batch) {
  const cuuint64_t row = DIM * sizeof(__half), key = row * cache.kv_heads;
  const cuuint64_t size[] = {64, static_cast<cuuint64_t>(cache.max_length), DIM / 64,
                             static_cast<cuuint64_t>(cache.kv_heads),
                             static_cast<cuuint64_t>(batch)};
  const cuuint64_t strides[] = {key, 64 * sizeof(__half), row, key * cache.max_length};
  const cuuint32_t box[] = {64, WARP_KEYS, DIM / 64, 1, 1};
  return encode_map(x, 5, size, strides, box);
}

template <int DIM>
__device__ void load_keys(Panels<DIM>& to, const CUtensorMap& map, int key, int kv_head,
                          int sequence, Barrier* full) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(shared_address(&to)),
      "l"(&map), "r"(0), "r"(key), "r"(0), "r"(kv_head), "r"(sequence), "r"(shared_address(full))
      : "memory");
}

template <int DIM>
struct WarpRing {
  static constexpr int PLACES = 5 * 128 / DIM;  // 40 KB
  KeyTile<DIM> tiles[PLACES];
};

// The tiles of a warp, over all stretches of its block: every WARPS-th of a stretch.
class WarpTiles {
 public:
  __device__ WarpTiles(const WorkLine& line, int warp) : line_(line), warp_(warp) {
    next_stretch();
  }

  __device__ bool has_tile() const { return has_tile_; }
  __device__ int sequence() const { return stretch_.sequence; }
  __device__ int first_key() const { return tile_ * WARP_KEYS; }
  __device__ void advance() {
    tile_ += WARPS;
    if (tile_ >= stretch_.end_tile) next_stretch();
  }

 private:
  __device__ void next_stretch() {
    do {
      has_tile_ = line_.has_work();
      if (!has_tile_) return;
      stretch_ = line_.next();
      tile_ = stretch_.first_tile + warp_;
    } while (tile_ >= stretch_.end_tile);
  }

  WorkLine line_;
  Stretch stretch_;
  const int warp_;
  int tile_;
  bool has_tile_;
};

// As TensorRows, with keys and values from shared memory: ldmatrix puts them in the order of mma.
template <int DIM>
struct OrderedRows : Rows<DIM> {
  __device__ static int element(int n, int col) { return 8 * n + col; }
};

template <int DIM>
class RingRows {
 public:
  __device__ RingRows(const __half* q, int count, const Cache& cache)
      : scale_(cache.scale * 1.44269504f) {
    rows_.max[0] = rows_.max[1] = -CUDART_INF_F;
    const int g = threadIdx.x % 32 / 4, p = threadIdx.x % 4;
#pragma unroll
    for (int k = 0; k < DIM / 16; ++k) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int row = g + i % 2 * 8, col = 16 * k + i / 2 * 8 + 2 * p;
        query_[k][i] = row < count ? *reinterpret_cast<const unsigned*>(q + row * DIM + col) : 0;
      }
    }
  }

  // The first `count` keys of a tile; the others may be NaN.
  __device__ void add(KeyTile<DIM>& tile, int count) {
    const int lane = threadIdx.x % 32;
    if (count < WARP_KEYS) clear_values(tile.values, count);
    float score[2][4] = {};
#pragma unroll
    for (int k = 0; k < DIM / 16; ++k) {  // 16 elements of keys 0 to 7 and 8 to 15
      const int key = lane % 8 + lane / 16 * 8, cell = 2 * (k % 4) + lane / 8 % 2;
      unsigned b[4];
      ldmatrix_x4(b, &tile.keys[k / 4][key][8 * (cell ^ key % 8)]);
      multiply_add<__half>(score[0], query_[k], b[0], b[1]);
      multiply_add<__half>(score[1], query_[k], b[2], b[3]);
    }
    unsigned weights[4];
    add_scores(rows_, score, weights, count, scale_);
#pragma unroll
    for (int n = 0; n < DIM / 8; n += 2) {  // 16 elements of 16 values
      const int key = lane % 16, cell = n % 8 + lane / 16;
      unsigned b[4];
      ldmatrix_x4_trans(b, &tile.values[n / 8][key][8 * (cell ^ key % 8)]);
      multiply_add<__half>(rows_.o[n], weights, b[0], b[1]);
      multiply_add<__half>(rows_.o[n + 1], weights, b[2], b[3]);
    }
  }

  __device__ const OrderedRows<DIM>& rows() const { return rows_; }

 private:
  // Their weights are 0, but 0 times NaN is NaN.
  __device__ static void clear_values(Panels<DIM>& values, int count) {
    for (int i = threadIdx.x % 32; i < DIM / 64 * WARP_KEYS * 8; i += 32) {
      const int key = i / 8 % WARP_KEYS;
      if (key < count) continue;
      *reinterpret_cast<uint4*>(&values[i / 8 / WARP_KEYS][key][i % 8 * 8]) = uint4();
    }
    fence_async();  // before the TMA unit writes there again
    __syncwarp();
  }

  const float scale_;
  unsigned query_[DIM / 16][4];
  OrderedRows<DIM> rows_{};
};
