#pragma once
// Chunks of 64 tokens of a head on wgmma, for rungs 5 and 6: one warpgroup keeps the state, another
// one makes the outputs.
//
// The formulas are those of chunks.h. Powers of the decay depend on the place in a chunk alone:
// each thread computes its own once, in the layout of the product that needs them, with 0 right of
// the diagonal. ../flash_attention/warpgroup_rows.h has the tiles and where a thread's values are.

#include "../flash_attention/warpgroup_rows.h"
#include "state_products.h"

constexpr int CHUNK = 64;

__device__ __forceinline__ uint32_t as_word(__half2 pair) {
  return *reinterpret_cast<const uint32_t*>(&pair);
}

// Before a wgmma_fence: the registers that wgmma reads are computed before it. The compiler moves
// arithmetic across a fence that does not name them, and then has to add another one.
template <int N>
__device__ __forceinline__ void settle(float (&x)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) asm volatile("" : "+f"(x[i])::"memory");
}
template <int N>
__device__ __forceinline__ void settle(uint32_t (&x)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) asm volatile("" : "+r"(x[i])::"memory");
}

// The sums of 64 rows as halves, to the rows of a tile from row0 on.
template <int DIM, int ROWS>
__device__ __forceinline__ void store_rounded(Tile<DIM, ROWS>& tile, int row0,
                                              const float (&sum)[DIM / 2]) {
  const int lane = threadIdx.x % 32, row = row0 + threadIdx.x / 32 % 4 * 16 + lane % 16;
#pragma unroll
  for (int c = 0; c < DIM / 16; ++c) {
    uint32_t matrix[4];
#pragma unroll
    for (int m = 0; m < 4; ++m) {
      matrix[m] = as_word(__floats2half2_rn(sum[8 * c + 2 * m], sum[8 * c + 2 * m + 1]));
    }
    const int cell = (2 * c % 8 + lane / 16) ^ row % 8;
    store_matrices(&tile.panels[c / 4][row][8 * cell], matrix[0], matrix[1], matrix[2], matrix[3]);
  }
}

// ---- The state --------------------------------------------------------------------------------

template <int DIM>
class State {
 public:
  // From a state that `store` has left, or from 0.
  __device__ State(float log2_decay, const float* before)
      : of_chunk_(exp2_approx(CHUNK * log2_decay)) {
#pragma unroll
    for (int i = 0; i < CHUNK / 8; ++i) {
      const float exponent = CHUNK - 1 - 8 * i - threadIdx.x % 4 * 2;
      weight_[i] = __floats2half2_rn(exp2_approx(exponent * log2_decay),
                                     exp2_approx((exponent - 1) * log2_decay));
    }
#pragma unroll
    for (int i = 0; i < DIM * DIM / WARPGROUP; ++i) {
      sum_[i / (DIM / 2)][i % (DIM / 2)] = before != nullptr ? before[place(i)] : 0.0f;
    }
  }

  // S = decay^64 S + K^T V with keys times decay^(63 - t). Columns of K are the rows of A, which
  // comes from registers: what they are scaled by is the same for each chunk.
  __device__ __forceinline__ void add(const Tile<DIM, CHUNK>& keys, uint64_t values) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    uint32_t a[DIM / 64][CHUNK / 16][4];
#pragma unroll
    for (int m = 0; m < DIM / 64; ++m) {
#pragma unroll
      for (int k = 0; k < CHUNK / 16; ++k) {
        const int token = 16 * k + lane / 16 * 8 + lane % 8, cell = 2 * warp + lane / 8 % 2;
        load_transposed(a[m][k], &keys.panels[m][token][8 * (cell ^ token % 8)]);
#pragma unroll
        for (int r = 0; r < 4; ++r) {
          const __half2 pair = *reinterpret_cast<const __half2*>(&a[m][k][r]);
          a[m][k][r] = as_word(__hmul2(pair, weight_[2 * k + r / 2]));
        }
        settle(a[m][k]);
      }
#pragma unroll
      for (int i = 0; i < DIM / 2; ++i) sum_[m][i] *= of_chunk_;
      settle(sum_[m]);
    }
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < CHUNK / 16; ++k) {
#pragma unroll
      for (int m = 0; m < DIM / 64; ++m) multiply_add(sum_[m], a[m][k], values + k * 128);
    }
    wgmma_commit();
    wgmma_wait<0>();
  }

  __device__ __forceinline__ void store_rounded_to(Tile<DIM, DIM>& tile) const {
#pragma unroll
    for (int m = 0; m < DIM / 64; ++m) store_rounded(tile, 64 * m, sum_[m]);
  }

  // In float, in the order of the threads: [DIM * DIM / 128][128].
  __device__ void store(float* to) const {
#pragma unroll
    for (int i = 0; i < DIM * DIM / WARPGROUP; ++i) {
      to[place(i)] = sum_[i / (DIM / 2)][i % (DIM / 2)];
    }
  }

 private:
  __device__ static int place(int i) { return i * WARPGROUP + threadIdx.x % WARPGROUP; }
  __device__ static void load_transposed(uint32_t (&r)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
  }

  float of_chunk_;
  __half2 weight_[CHUNK / 8];  // of tokens 8 i + 2 (lane % 4) and the next one
  float sum_[DIM / 64][DIM / 2];
};

// ---- The outputs ------------------------------------------------------------------------------

template <int DIM>
class Outputs {
 public:
  __device__ explicit Outputs(float log2_decay) {
    const int row = threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4;
    const float scale = rsqrtf(DIM);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      of_state_[r] = scale * exp2_approx(static_cast<float>(row + 8 * r + 1) * log2_decay);
    }
#pragma unroll
    for (int i = 0; i < CHUNK / 2; ++i) {
      const int back = row + 8 * (i / 2 % 2) - (i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2);
      weight_[i] = back < 0 ? 0.0f : scale * exp2_approx(static_cast<float>(back) * log2_decay);
    }
  }

  // One group of wgmmas: Q K^T.
  __device__ __forceinline__ void start_scores(uint64_t queries, uint64_t keys) {
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < DIM / 16; ++k) {
      multiply(score_, queries + columns(k), keys + columns(k), k > 0);
    }
    wgmma_commit();
  }

  // One group: Q S, for the state before the chunk.
  __device__ __forceinline__ void start_from_state(uint64_t queries, uint64_t state) {
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < DIM / 16; ++k) {
      multiply_rows(o_, queries + columns(k), state + k * 128, k > 0);
    }
    wgmma_commit();
  }

  // When the scores have come: times the powers of the decay, as halves.
  __device__ __forceinline__ void weigh_scores() {
#pragma unroll
    for (int i = 0; i < CHUNK / 4; ++i) {
      p_[i / 4][i % 4] = as_word(__floats2half2_rn(score_[2 * i] * weight_[2 * i],
                                                   score_[2 * i + 1] * weight_[2 * i + 1]));
    }
  }

  // When Q S has come, and the scores are weighed: decay^(p + 1) Q S + P V.
  __device__ __forceinline__ void add_values(uint64_t values) {
#pragma unroll
    for (int i = 0; i < DIM / 2; ++i) o_[i] *= of_state_[i / 2 % 2];
    settle(o_);
#pragma unroll
    for (int k = 0; k < CHUNK / 16; ++k) settle(p_[k]);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < CHUNK / 16; ++k) multiply_add(o_, p_[k], values + k * 128);
    wgmma_commit();
    wgmma_wait<0>();
  }

  __device__ __forceinline__ void store(Tile<DIM, CHUNK>& tile) const {
    store_rounded(tile, 0, o_);
  }

 private:
  // 16 columns are 2 cells of 16 bytes of a panel.
  __device__ static int columns(int k) {
    return k / 4 * (Tile<DIM, CHUNK>::PANEL_BYTES / 16) + k % 4 * 2;
  }

  float of_state_[2];  // for the thread's two rows
  float weight_[CHUNK / 2], score_[CHUNK / 2];
  uint32_t p_[CHUNK / 16][4];
  float o_[DIM / 2];
};

// ---- Shared memory ----------------------------------------------------------------------------

template <int DIM>
struct Stage {
  Tile<DIM, CHUNK> queries, keys, values;
};

template <int DIM, int STAGES>
struct Shared {
  Stage<DIM> stages[STAGES];
  Tile<DIM, DIM> state;      // rounded, before the chunk
  Tile<DIM, CHUNK> outputs;  // on their way out
  Barrier full[STAGES], empty[STAGES], state_full, state_empty;
};

struct Maps {
  CUtensorMap Q, K, V, O;
};

template <int DIM>
Maps maps_of(const __half* Q, const __half* K, const __half* V, const __half* O, int heads,
             int length) {
  return {panel_map<DIM, CHUNK>(Q, heads, length), panel_map<DIM, CHUNK>(K, heads, length),
          panel_map<DIM, CHUNK>(V, heads, length), panel_map<DIM, CHUNK>(O, heads, length)};
}

// Three arrivals.
template <int DIM>
__device__ void load_stage(Stage<DIM>& stage, const Maps& maps, int chunk, int head,
                           Barrier* full) {
  load_tile(stage.queries, maps.Q, chunk * CHUNK, head, full);
  load_tile(stage.keys, maps.K, chunk * CHUNK, head, full);
  load_tile(stage.values, maps.V, chunk * CHUNK, head, full);
}
