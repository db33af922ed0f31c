#pragma once
// What the two roles of rung 9 do with a tile; rung 10 changes some of it (lazy_limit.h).
//
// Score warp w and value warp w have the same rows of queries: the first makes the weights of 64
// keys, the second multiplies them with the values. A thread has 8 rows; D / 8 lanes share them.
// Lanes i and i ^ 1 have the same columns: then a load of 16 bytes takes half as many wavefronts.
//
// An FMA reads three registers from two banks, even and odd, unless the one before it read the same
// operand. So one operand stays while the other changes, and the layouts choose the parities:
// queries and weights lie transposed, so that a load of 16 bytes brings row i in a register of the
// parity of i. Weights are stored in quads of rows, neighbours exchanged, so nvcc gives a score the
// parity that its query does not have. The output is stored so too, in quads of columns, while a
// value has the parity of its column. Loops that are not unrolled keep these registers.

#include <math_constants.h>

#include "../common/load4.h"
#include "merge_quads.h"
#include "tile_slots.h"

constexpr int TM = 8, WARPS = 8;               // rows of a thread; warps of each role
constexpr int THREADS = 32 * 2 * WARPS + 128;  // and a warpgroup that copies
constexpr int SLOTS_OF[] = {4, 3, 2};          // for D = 64, 128, 256

template <int D_>
struct RoleMemory : TileSlots<D_, SLOTS_OF[D_ / 128], WARPS> {
  using Slots = TileSlots<D_, SLOTS_OF[D_ / 128], WARPS>;
  static constexpr int D = D_, TX = D / 8, TY = 32 * WARPS / TX, BM = TM * TY, TN = BN / TX;
  static constexpr int PITCH_M = BM + 8;

  float queries[D][PITCH_M], weights[BN][PITCH_M], rescale[BM];
  Barrier weighted[WARPS], added[WARPS];  // weights of a tile are ready; are used

  __device__ void start(int d) {
    if (threadIdx.x < WARPS) {
      init(&weighted[threadIdx.x], 32);
      init(&added[threadIdx.x], 32);
    }
    Slots::start(d);
    __syncthreads();
  }

  // The queries times `factor`, by the warps of both roles. A warp has 4 columns of 8 rows at a
  // time, which are in 32 banks.
  __device__ void load_queries(const float* Q, int row0, int M, int d, float factor) {
#pragma unroll 8
    for (int i = threadIdx.x; i < BM * D; i += 64 * WARPS) {
      const int row = i / (8 * D) * 8 + i / 4 % 8, col = i / 32 % (D / 4) * 4 + i % 4;
      const bool in_bounds = row0 + row < M && col < d;
      queries[col][row] = in_bounds ? factor * Q[static_cast<size_t>(row0 + row) * d + col] : 0.0f;
    }
    asm volatile("bar.sync 1, %0;" ::"n"(64 * WARPS) : "memory");
  }
};

// A thread's rows: 4 neighbours in each half of the tile.
template <int D>
struct RoleRows {
  using Memory = RoleMemory<D>;
  static constexpr int TX = Memory::TX, STEP = TX < 32 ? 2 : 1;  // lanes with the same columns

  Memory& memory;
  const int warp = threadIdx.x / 32 % WARPS, lane = threadIdx.x % 32, tx = lane / STEP % TX;
  const int ty = warp * (32 / TX) + lane % STEP + lane / (STEP * TX) * STEP;

  __device__ int row(int i) const { return 4 * ty + i % 4 + Memory::BM / 2 * (i / 4); }
};

// `WIDTH` floats, aligned.
template <int WIDTH>
struct alignas(4 * WIDTH) Floats {
  float at[WIDTH];
};

template <int D>
class ScoreRows : protected RoleRows<D> {
 protected:
  using Base = RoleRows<D>;
  using Memory = RoleMemory<D>;
  using Base::memory, Base::row, Base::STEP, Base::tx, Base::TX, Base::warp;
  static constexpr int TN = Memory::TN, WIDTH = D == 64 ? 1 : 4;

 public:
  __device__ explicit ScoreRows(Memory& memory) : Base{memory} {
#pragma unroll
    for (int i = 0; i < TM; ++i) max_[i] = -CUDART_INF_F;
  }

  // score = q . k for keys tx + TX j.
  __device__ void multiply_keys(const float (*keys)[Memory::PITCH], int d) {
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
      for (int j = 0; j < TN; ++j) score_[i][j] = 0.0f;
    }
    const float* from_q = &memory.queries[0][row(0)];
    const float* from_k = keys[tx];
    const float* const end = from_k + d;
#pragma unroll 1
    for (; from_k < end; from_k += WIDTH, from_q += WIDTH * Memory::PITCH_M) {
      Vec4 q[WIDTH][2];
#pragma unroll
      for (int e = 0; e < WIDTH; ++e) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          q[e][h] = load4(from_q + e * Memory::PITCH_M + h * (Memory::BM / 2));
        }
      }
      Floats<WIDTH> k[TN];
#pragma unroll
      for (int j = 0; j < TN; ++j) {
        k[j] = *reinterpret_cast<const Floats<WIDTH>*>(from_k + TX * j * Memory::PITCH);
      }
#pragma unroll
      for (int e = 0; e < WIDTH; ++e) {
#pragma unroll
        for (int j = 0; j < TN; ++j) {
#pragma unroll
          for (int step = 0; step < TM; ++step) {
            const int i = (j + e * TN) % 2 == 0 ? step : TM - 1 - step;
            score_[i][j] += q[e][i / 4].at[i % 4] * k[j].at[e];
          }
        }
      }
    }
  }

  // The online rule: exp2(score - max), where only the first `count` keys exist.
  __device__ void exponentiate(int count) {
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      float max = max_[i];
#pragma unroll
      for (int j = 0; j < TN; ++j) {
        if (tx + TX * j >= count) score_[i][j] = -CUDART_INF_F;
        max = fmaxf(max, score_[i][j]);
      }
#pragma unroll
      for (int lanes = STEP; lanes < STEP * TX; lanes *= 2) {
        max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, lanes));
      }
      rescale_[i] = exp2_approx(max_[i] - max);
      max_[i] = max;
      sum_[i] *= rescale_[i];
#pragma unroll
      for (int j = 0; j < TN; ++j) {
        score_[i][j] = exp2_approx(score_[i][j] - max);
        sum_[i] += score_[i][j];
      }
    }
  }

  // Gives the weights of tile n to the value warp.
  __device__ void hand_over(int n) {
    store_weights(n);
    if (tx == 0) {
#pragma unroll
      for (int i = 0; i < TM; ++i) memory.rescale[row(i)] = rescale_[i];
    }
    arrive(&memory.weighted[warp]);
  }

  // Once the value warp is done with those before.
  __device__ void store_weights(int n) {
    wait(&memory.added[warp], n % 2 ^ 1);
#pragma unroll
    for (int j = 0; j < TN; ++j) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int i = 4 * h;
        store4(&memory.weights[tx + TX * j][row(i)],
               {score_[i + 1][j], score_[i][j], score_[i + 3][j], score_[i + 2][j]});
      }
    }
  }

  __device__ void store(const QuadParts& parts, int row0, int M) const {
    const size_t first = static_cast<size_t>(blockIdx.y) * M + row0;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      float sum = sum_[i];
#pragma unroll
      for (int lanes = STEP; lanes < STEP * TX; lanes *= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
      }
      if (tx == 0 && row0 + row(i) < M) {
        parts.max[first + row(i)] = max_[i];
        parts.sum[first + row(i)] = sum;
      }
    }
  }

 protected:
  float max_[TM], sum_[TM] = {}, rescale_[TM];
  float score_[TM][TN];
};

// A thread has columns 4 tx to 4 tx + 3 of each half of the output.
template <int D>
class ValueRows : protected RoleRows<D> {
 protected:
  using Base = RoleRows<D>;
  using Memory = RoleMemory<D>;
  using Base::memory, Base::row, Base::tx, Base::warp;

 public:
  __device__ explicit ValueRows(Memory& memory) : Base{memory} {}

  // Waits for the weights of tile n. The output is rescaled only if a row of the warp has a new
  // maximum.
  __device__ void take(int n) {
    wait(&memory.weighted[warp], n % 2);
    rescale_output();
  }

  __device__ void add_values(const float (*values)[Memory::PITCH]) {
    const float* from_p = &memory.weights[0][row(0)];
    const float* from_v = &values[0][4 * tx];
    const float* const end = from_v + BN * Memory::PITCH;
#pragma unroll 4
    for (; from_v < end; from_v += Memory::PITCH, from_p += Memory::PITCH_M) {
      Vec4 p[2], v[2];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        p[h] = load4(from_p + h * (Memory::BM / 2));
        v[h] = load4(from_v + h * (D / 2));
      }
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int step = 0; step < 8; ++step) {
          const int c = i % 2 == 0 ? 7 - step : step;
          o_[i][c] += p[i / 4].at[i % 4 ^ 1] * v[c / 4].at[c % 4];
        }
      }
    }
    arrive(&memory.added[warp]);
  }

  __device__ void store(const QuadParts& parts, int row0, int M, int d) const {
    const size_t first = static_cast<size_t>(blockIdx.y) * M + row0;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      if (row0 + row(i) >= M) continue;
      float* const to = parts.o + (first + row(i)) * 4 * parts.quads;
#pragma unroll
      for (int c = 0; c < 8; c += 4) {
        const int col = D / 2 * (c / 4) + 4 * tx;
        if (col < d) store4(to + col, {o_[i][c + 1], o_[i][c], o_[i][c + 3], o_[i][c + 2]});
      }
    }
  }

 protected:
  __device__ void rescale_output() {
    float rescale[TM];
    bool grows = false;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      rescale[i] = memory.rescale[row(i)];
      grows = grows || rescale[i] != 1.0f;
    }
    if (!__any_sync(0xffffffffu, grows)) return;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
      for (int c = 0; c < 8; ++c) o_[i][c] *= rescale[i];
    }
  }

  float o_[TM][8] = {};
};
