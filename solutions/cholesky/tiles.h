#pragma once
// Rung 7's kernel: panels of 32 columns, in tiles of 128 rows that stay in shared memory.

#include <kata/kata.h>

#include "warp_factor.h"

constexpr int WIDTH = 32;    // columns of a panel
constexpr int HEIGHT = 128;  // rows of a tile
constexpr int TILE_THREADS = 256;

struct Tiles {
  // Factors of the product, entry (row, k) at [k][place_of(row, k)].
  float left[WIDTH][HEIGHT], top[WIDTH][WIDTH];
  float tile[HEIGHT][WIDTH + 1];
  float diagonal[WIDTH][WIDTH];  // column by column
  float inverse[WIDTH];
};

// Groups of four rows change places with k / 4: a warp that stores 4 rows x 32 columns, four columns
// per lane, meets all banks.
__device__ inline int place_of(int row, int k) {
  return row ^ (k / 4 % 8 * 4);
}

// Rows from row0 on, columns k0 to k0 + 31, all of which exist; rows at n and beyond are 0.
template <int ROWS>
__device__ void load_factor(float (&to)[WIDTH][ROWS], const float* L, int row0, int k0, int n) {
  const int k = threadIdx.x % 8 * 4;
#pragma unroll
  for (int row = threadIdx.x / 8; row < ROWS; row += TILE_THREADS / 8) {
    const int i = row0 + row;
    float value[4] = {};
    if (i < n) {
      const float* from = L + static_cast<size_t>(i) * n + k0 + k;
      if (n % 4 == 0) {
        const float4 four = *reinterpret_cast<const float4*>(from);
        value[0] = four.x, value[1] = four.y, value[2] = four.z, value[3] = four.w;
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e) value[e] = from[e];
      }
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) to[k + e][place_of(row, k)] = value[e];
  }
}

__device__ inline float4 four(const float* at) {
  return *reinterpret_cast<const float4*>(at);
}

// The tile: A minus the product of L's columns to the left. Outside the matrix it is an identity.
__device__ inline void update_tile(Tiles& shared, const float* A, const float* L, int row0, int j0,
                                   int n) {
  for (int at = threadIdx.x; at < HEIGHT * WIDTH; at += TILE_THREADS) {
    const int i = row0 + at / WIDTH, j = j0 + at % WIDTH;
    const bool exists = i < n && j < n;
    shared.tile[at / WIDTH][at % WIDTH] =
        exists ? A[static_cast<size_t>(i) * n + j] : i == j ? 1.0f : 0.0f;
  }
  const int col = threadIdx.x % 8 * 4, row = threadIdx.x / 8 * 4;
  float sums[4][4] = {};
  for (int k0 = 0; k0 < j0; k0 += WIDTH) {
    __syncthreads();  // the factors of the last step have been read
    load_factor(shared.left, L, row0, k0, n);
    load_factor(shared.top, L, j0, k0, n);
    __syncthreads();
    if (row0 + row >= n) continue;  // mostly the whole warp's
#pragma unroll 8
    for (int k = 0; k < WIDTH; ++k) {
      const float4 a4 = four(&shared.left[k][place_of(row, k)]);
      const float4 b4 = four(&shared.top[k][place_of(col, k)]);
      const float a[4] = {a4.x, a4.y, a4.z, a4.w}, b[4] = {b4.x, b4.y, b4.z, b4.w};
#pragma unroll
      for (int r = 0; r < 4; ++r) {
#pragma unroll
        for (int c = 0; c < 4; ++c) sums[r][c] += a[r] * b[c];
      }
    }
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < 4; ++r) {
#pragma unroll
    for (int c = 0; c < 4; ++c) shared.tile[row + r][col + c] -= sums[r][c];
  }
}

// The first 32 rows of the tile are the diagonal block: one warp factors it.
__device__ inline void factor_tile(Tiles& shared) {
  const int lane = threadIdx.x;
  if (lane >= 32) return;
  float row[WIDTH];
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) row[k] = shared.tile[lane][k];
  warp_factor(row);
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) {
    shared.tile[lane][k] = k <= lane ? row[k] : 0.0f;
    shared.diagonal[k][lane] = row[k];
    if (k == lane) shared.inverse[k] = 1.0f / row[k];
  }
}

// A thread per row of the tile below the diagonal block: x L^T = row, from the first column on.
__device__ inline void solve_row(Tiles& shared) {
  float x[WIDTH];
  float* row = shared.tile[threadIdx.x];
#pragma unroll
  for (int c = 0; c < WIDTH; ++c) x[c] = row[c];
#pragma unroll
  for (int c = 0; c < WIDTH; ++c) {
    x[c] *= shared.inverse[c];
    row[c] = x[c];
#pragma unroll
    for (int k4 = (c + 1) / 4 * 4; k4 < WIDTH; k4 += 4) {
      const float4 d4 = four(&shared.diagonal[c][k4]);
      const float d[4] = {d4.x, d4.y, d4.z, d4.w};
#pragma unroll
      for (int k = max(k4, c + 1); k < k4 + 4; ++k) x[k] -= x[c] * d[k - k4];
    }
  }
}

inline __global__ void __launch_bounds__(TILE_THREADS, 5)
    tiles_kernel(const float* A, float* L, int n) {
  __shared__ __align__(16) Tiles shared;
  A += static_cast<size_t>(blockIdx.x) * n * n;
  L += static_cast<size_t>(blockIdx.x) * n * n;
  for (int j0 = 0; j0 < n; j0 += WIDTH) {
    for (int row0 = j0; row0 < n; row0 += HEIGHT) {
      update_tile(shared, A, L, row0, j0, n);
      __syncthreads();
      if (row0 == j0) factor_tile(shared);
      __syncthreads();
      if (threadIdx.x < HEIGHT && (row0 > j0 || threadIdx.x >= WIDTH)) solve_row(shared);
      __syncthreads();
      for (int at = threadIdx.x; at < HEIGHT * WIDTH; at += TILE_THREADS) {
        const int i = row0 + at / WIDTH, j = j0 + at % WIDTH;
        if (i < n && j < n) L[static_cast<size_t>(i) * n + j] = shared.tile[at / WIDTH][at % WIDTH];
      }
      __syncthreads();
    }
    for (int i = j0 + threadIdx.x / 32; i < min(j0 + WIDTH, n); i += TILE_THREADS / 32) {
      for (int j = j0 + WIDTH + threadIdx.x % 32; j < n; j += 32) {
        L[static_cast<size_t>(i) * n + j] = 0.0f;
      }
    }
  }
}

inline void launch_tiles(const float* A, float* L, int batch, int n) {
  tiles_kernel<<<batch, TILE_THREADS>>>(A, L, n);
}
