#pragma once
// P and dS by a warp on mma.sync, for rungs 2 to 4: 16 rows of a tile against the 64 rows of
// another.
//
// Scores and dP come as ../common/tensor_core.h says: lane 4 g + p holds rows g and g + 8, and of
// each 8 columns those at 2 p. Rounded in pairs they are the A operand of a product with the 64
// rows. Tiles and products are those of ../linear_attention/mma_products.h.

#include "../linear_attention/mma_products.h"
#include "statistics.h"

constexpr int SIDE = 64;  // rows of a tile
constexpr int WARP_ROWS = 16;

template <int DIM>
struct Pair {  // of queries: Q and dO; of keys: K and V
  Chunk<DIM> a, b;
};

struct Side {
  const __half *a, *b;
};

template <int DIM, class Copy>
__device__ __forceinline__ void load_pair(Pair<DIM>& pair, const Side& from, size_t head, int first,
                                          int length, const Copy& copy) {
  for_each_cell(pair.a, from.a + head, first, length, copy);
  for_each_cell(pair.b, from.b + head, first, length, copy);
}

__device__ inline void copy_cell(uint4* to, const uint4* from, bool exists) {
  *to = exists ? *from : uint4();
}

// Of the block's rows, which are queries or keys, against a tile of the others.
template <int DIM, bool OWNS_KEYS>
class Weights {
 public:
  // `row`: the warp's first one in the tile `own`, whose first one is own_first in its head.
  // `statistics`: of the head, from the first row of those two tiles that are queries on.
  __device__ __forceinline__ void compute(const Pair<DIM>& own, int row, const Pair<DIM>& other,
                                          int own_first, int other_first,
                                          const Statistics* statistics, int length, bool causal) {
#pragma unroll
    for (int i = 0; i < SIDE / 2; ++i) p_[i / 4][i % 4] = ds_[i / 4][i % 4] = 0.0f;
#pragma unroll 4
    for (int k = 0; k < DIM / 16; ++k) {
      unsigned x[4];
      load_rows(x, own.a, row, k);
      add_scores<DIM>(p_, x, other.a, k);
      load_rows(x, own.b, row, k);
      add_scores<DIM>(ds_, x, other.b, k);
    }
    const float factor = rsqrtf(DIM) * CUDART_L2E_F;
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < SIDE / 2; ++i) {
      float &p = p_[i / 4][i % 4], &ds = ds_[i / 4][i % 4];
      const int mine = row + lane / 4 + 8 * (i / 2 % 2);
      const int others = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
      const Statistics of_query = statistics[OWNS_KEYS ? others : mine];
      const int query = OWNS_KEYS ? other_first + others : own_first + mine;
      const int key = OWNS_KEYS ? own_first + mine : other_first + others;
      const bool visible = key < length && (!causal || key <= query);
      p = visible ? exp2_approx(fmaf(factor, p, -of_query.lse)) : 0.0f;
      ds = p * (ds - of_query.D);
    }
  }

  // sum += dS x, sum += P x: for the 64 rows of x.
  __device__ __forceinline__ void add_ds(float (&sum)[DIM / 8][4], const Chunk<DIM>& x) const {
    add(sum, ds_, x);
  }
  __device__ __forceinline__ void add_p(float (&sum)[DIM / 8][4], const Chunk<DIM>& x) const {
    add(sum, p_, x);
  }

  // Rounded, to 16 rows of a tile.
  __device__ __forceinline__ void store_ds(Chunk<SIDE>& tile, int row) const {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int n = 0; n < SIDE / 8; ++n) {
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        uint4& cell = tile.cells[tile.place(row + lane / 4 + 8 * r, n)];
        reinterpret_cast<unsigned*>(&cell)[lane % 4] = pair(ds_[n][2 * r], ds_[n][2 * r + 1]);
      }
    }
  }

 private:
  __device__ static unsigned pair(float x, float y) {
    const __half2 both = __floats2half2_rn(x, y);
    return *reinterpret_cast<const unsigned*>(&both);
  }
  __device__ __forceinline__ static void add(float (&sum)[DIM / 8][4],
                                             const float (&weight)[SIDE / 8][4],
                                             const Chunk<DIM>& x) {
#pragma unroll
    for (int k = 0; k < SIDE / 16; ++k) {
      unsigned a[4];
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const float* w = &weight[2 * k + r / 2][r % 2 * 2];
        a[r] = pair(w[0], w[1]);
      }
      add_product<DIM>(sum, a, x, k);
    }
  }

  float p_[SIDE / 8][4], ds_[SIDE / 8][4];  // first scores and dP
};

template <int DIM>
__device__ __forceinline__ void scale_by(float (&sum)[DIM / 8][4], float factor) {
#pragma unroll
  for (int i = 0; i < DIM / 2; ++i) sum[i / 4][i % 4] *= factor;
}
