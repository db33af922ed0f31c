#pragma once
// Rung 4's kernel: a block factors a matrix of any size, 32 columns at a time.

#include <kata/kata.h>

#include "warp_factor.h"

constexpr int PANEL = 32;       // columns of a panel
constexpr int TILE_ROWS = 64;   // rows of the panel that are updated together
constexpr int PANEL_THREADS = 256;

/// Loads rows row0 ... row0 + ROWS - 1 and 32 columns from col0 on; 0 outside the matrix.
template <int ROWS>
__device__ void load_panel(float (&tile)[ROWS][PANEL + 1], const float* from, int row0, int col0,
                           int n) {
  for (int at = threadIdx.x; at < ROWS * PANEL; at += PANEL_THREADS) {
    const int i = row0 + at / PANEL, j = col0 + at % PANEL;
    tile[at / PANEL][at % PANEL] = i < n && j < n ? from[static_cast<size_t>(i) * n + j] : 0.0f;
  }
}

// Rows from row0 on of the panel at j0: A minus the product of L's rows to the left. A thread has 4
// rows and 2 columns of the tile, 16 apart.
__device__ inline void update_rows(const float* A, float* L, int row0, int j0, int n) {
  __shared__ float left[TILE_ROWS][PANEL + 1], top[PANEL][PANEL + 1];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float sums[4][2] = {};
  for (int k0 = 0; k0 < j0; k0 += PANEL) {
    __syncthreads();  // the tiles of the last step have been read
    load_panel(left, L, row0, k0, n);
    load_panel(top, L, j0, k0, n);
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < PANEL; ++k) {
      const float columns[2] = {top[tx][k], top[tx + 16][k]};
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const float of_row = left[ty + 16 * r][k];
        sums[r][0] += of_row * columns[0];
        sums[r][1] += of_row * columns[1];
      }
    }
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const int i = row0 + ty + 16 * r, j = j0 + tx + 16 * c;
      const size_t at = static_cast<size_t>(i) * n + j;
      if (i < n && j < n) L[at] = A[at] - sums[r][c];
    }
  }
}

__device__ inline void factor_diagonal(float (&block)[PANEL][PANEL + 1], int size) {
  if (threadIdx.x >= 32) return;
  const int lane = threadIdx.x;
  float row[PANEL];
#pragma unroll
  for (int k = 0; k < PANEL; ++k) {
    row[k] = lane < size && k < size ? block[lane][k] : lane == k ? 1.0f : 0.0f;
  }
  warp_factor(row);
#pragma unroll
  for (int k = 0; k < PANEL; ++k) block[lane][k] = k <= lane ? row[k] : 0.0f;
}

// Rows below the diagonal block, one per thread: x L^T = row, from the first column on. The barrier
// keeps the compiler from loading the whole block into registers before the loop.
__device__ inline void solve_rows(float* L, const float (&block)[PANEL][PANEL + 1], int j0, int n) {
  for (int row0 = j0 + PANEL; row0 < n; row0 += PANEL_THREADS) {
    __syncthreads();
    const int i = row0 + threadIdx.x;
    if (i >= n) continue;
    float* at = L + static_cast<size_t>(i) * n + j0;
    float x[PANEL];
#pragma unroll
    for (int c = 0; c < PANEL; ++c) x[c] = at[c];
#pragma unroll
    for (int c = 0; c < PANEL; ++c) {
      x[c] /= block[c][c];
#pragma unroll
      for (int k = c + 1; k < PANEL; ++k) x[k] -= x[c] * block[k][c];
    }
#pragma unroll
    for (int c = 0; c < PANEL; ++c) at[c] = x[c];
  }
}

inline __global__ void __launch_bounds__(PANEL_THREADS)
    panels_kernel(const float* A, float* L, int n) {
  __shared__ float block[PANEL][PANEL + 1];
  A += static_cast<size_t>(blockIdx.x) * n * n;
  L += static_cast<size_t>(blockIdx.x) * n * n;
  for (int j0 = 0; j0 < n; j0 += PANEL) {
    for (int row0 = j0; row0 < n; row0 += TILE_ROWS) update_rows(A, L, row0, j0, n);
    __syncthreads();
    load_panel(block, L, j0, j0, n);
    __syncthreads();
    factor_diagonal(block, min(PANEL, n - j0));
    __syncthreads();
    for (int at = threadIdx.x; at < PANEL * n; at += PANEL_THREADS) {  // also the zeros to the right
      const int i = j0 + at / n, j = at % n;
      if (i >= n || j < j0) continue;
      L[static_cast<size_t>(i) * n + j] = j < j0 + PANEL ? block[at / n][j - j0] : 0.0f;
    }
    solve_rows(L, block, j0, n);
    __syncthreads();
  }
}

inline void launch_panels(const float* A, float* L, int batch, int n) {
  panels_kernel<<<batch, PANEL_THREADS>>>(A, L, n);
}
