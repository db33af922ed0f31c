#pragma once
// The tile of rungs 5 to 7: 16 TM queries by 64 keys, for 128 threads in 16 rows and 8 columns.
//
// Thread (ty, tx) computes the scores of queries ty + 16 i and keys tx + 8 j, and of the output the
// same queries and columns 32 g + 4 tx to 32 g + 4 tx + 3. Eight neighbouring lanes share their
// queries, so a row's maximum takes three shuffles, and the weights of a row are exchanged within a
// warp. Rows of shared memory have a pitch of D + 4 floats: eight lanes that read 16 bytes of eight
// keys use all 32 banks.

#include <kata/kata.h>
#include <math_constants.h>

#include "../common/load4.h"

template <int TM_, int D_>
struct RegisterTile {
  static constexpr int TM = TM_, D = D_;  // D: columns in shared memory, at least d
  static constexpr int BM = 16 * TM, BN = 64, THREADS = 128;
  static constexpr int PITCH = D + 4, PITCH_P = BN + 8;
  static constexpr int SHARED_BYTES = ((BM + 2 * BN) * PITCH + BM * PITCH_P) * 4;

  float *queries, *keys, *values, *weights;  // [BM] and [BN][PITCH], [BM][PITCH_P]

  __device__ explicit RegisterTile(float* shared)
      : queries(shared),
        keys(queries + BM * PITCH),
        values(keys + BN * PITCH),
        weights(values + BN * PITCH) {}
};

// What a thread knows of its TM queries: all in units of exp(max).
template <class T>
struct Rows {
  float max[T::TM], sum[T::TM];  // sum: of this thread's keys alone
  float o[T::TM][T::D / 8];
};

template <class T>
__device__ void clear(Rows<T>& rows) {
#pragma unroll
  for (int i = 0; i < T::TM; ++i) {
    rows.max[i] = -CUDART_INF_F;
    rows.sum[i] = 0.0f;
#pragma unroll
    for (int c = 0; c < T::D / 8; ++c) rows.o[i][c] = 0.0f;
  }
}

// Stores `count` rows of x[n, d] from row `first` on, times `factor`, zeros past the ends.
template <class T>
__device__ void load_rows(float* to, const float* x, int first, int count, int n, int d,
                          float factor = 1.0f) {
  for (int i = threadIdx.x; i < count * T::D; i += T::THREADS) {
    const int row = first + i / T::D, col = i % T::D;
    const bool in_bounds = row < n && col < d;
    to[i / T::D * T::PITCH + col] = in_bounds ? factor * x[static_cast<size_t>(row) * d + col] : 0;
  }
}

// score[i][j] = q . k; the queries are scaled.
template <class T>
__device__ void multiply_keys(float (&score)[T::TM][8], const T& tile, int d) {
  const float* q0 = tile.queries + threadIdx.x / 8 * T::PITCH;
  const float* k0 = tile.keys + threadIdx.x % 8 * T::PITCH;
#pragma unroll 2
  for (int c = 0; c < d; c += 4) {
    Vec4 q[T::TM];
#pragma unroll
    for (int i = 0; i < T::TM; ++i) q[i] = load4(q0 + 16 * i * T::PITCH + c);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const Vec4 k = load4(k0 + 8 * j * T::PITCH + c);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
#pragma unroll
        for (int i = 0; i < T::TM; ++i) score[i][j] += q[i].at[e] * k.at[e];
      }
    }
  }
}

// The online rule. Leaves exp(score - max) in tile.weights; only the first `count` keys exist.
template <class T>
__device__ void add_scores(Rows<T>& rows, const float (&score)[T::TM][8], const T& tile,
                           int count) {
  const int ty = threadIdx.x / 8, tx = threadIdx.x % 8;
#pragma unroll
  for (int i = 0; i < T::TM; ++i) {
    float max = rows.max[i];
#pragma unroll
    for (int j = 0; j < 8; ++j) max = tx + 8 * j < count ? fmaxf(max, score[i][j]) : max;
#pragma unroll
    for (int lanes = 1; lanes < 8; lanes *= 2) {
      max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, lanes));
    }
    const float rescale = __expf(rows.max[i] - max);
    rows.max[i] = max;
    rows.sum[i] *= rescale;
#pragma unroll
    for (int c = 0; c < T::D / 8; ++c) rows.o[i][c] *= rescale;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const float weight = tx + 8 * j < count ? __expf(score[i][j] - max) : 0.0f;
      rows.sum[i] += weight;
      tile.weights[(ty + 16 * i) * T::PITCH_P + tx + 8 * j] = weight;
    }
  }
}

template <class T>
__device__ void add_values(Rows<T>& rows, const T& tile) {
  const float* p0 = tile.weights + threadIdx.x / 8 * T::PITCH_P;
  const float* v0 = tile.values + threadIdx.x % 8 * 4;
#pragma unroll 2
  for (int key = 0; key < T::BN; key += 4) {
    Vec4 p[T::TM];
#pragma unroll
    for (int i = 0; i < T::TM; ++i) p[i] = load4(p0 + 16 * i * T::PITCH_P + key);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
#pragma unroll
      for (int g = 0; g < T::D / 32; ++g) {
        const Vec4 v = load4(v0 + (key + e) * T::PITCH + 32 * g);
#pragma unroll
        for (int i = 0; i < T::TM; ++i) {
#pragma unroll
          for (int c = 0; c < 4; ++c) rows.o[i][4 * g + c] += p[i].at[e] * v.at[c];
        }
      }
    }
  }
}

// Stores the thread's part of the output rows from row0 on, times factor[i].
template <class T>
__device__ void store_rows(float* O, const Rows<T>& rows, const float (&factor)[T::TM], int row0,
                           int M, int d) {
  const int ty = threadIdx.x / 8, tx = threadIdx.x % 8;
#pragma unroll
  for (int i = 0; i < T::TM; ++i) {
    const int row = row0 + ty + 16 * i;
#pragma unroll
    for (int c = 0; c < T::D / 8; ++c) {
      const int col = c / 4 * 32 + tx * 4 + c % 4;
      if (row < M && col < d) O[static_cast<size_t>(row) * d + col] = factor[i] * rows.o[i][c];
    }
  }
}

// The sum of a row over the eight lanes that share it.
template <class T>
__device__ float row_sum(const Rows<T>& rows, int i) {
  float sum = rows.sum[i];
#pragma unroll
  for (int lanes = 1; lanes < 8; lanes *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
  return sum;
}
