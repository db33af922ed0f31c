#pragma once
// Rung 7's kernel: a warp, a block or a cluster of blocks per row, by the length of the rows.

#include <kata/kata.h>

#include "../common/moments.h"
#include "../common/row_groups.h"
#include "cluster_moments.h"
#include "slice_moments.h"

constexpr int WARP_ROWS = 4;  // rows of a block that gives a warp to each

template <int LANES, int GROUPS, int CLUSTER, bool VECTOR>
__global__ void __launch_bounds__(LANES == 32 ? 32 * WARP_ROWS : LANES, LANES == 512 ? 2 : 1)
    layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y, int rows,
                     int cols, float eps) {
  constexpr int WIDTH = 4 * LANES;  // columns of a group
  constexpr int SLICE = GROUPS * WIDTH;
  constexpr int STRIDE = CLUSTER * SLICE;  // from one slice of a block to its next
  const int begin = cluster_rank<CLUSTER>() * SLICE;
  const int row = blockIdx.x / CLUSTER * (blockDim.x / LANES) + threadIdx.x / LANES;
  if (row >= rows) return;  // a whole warp; with a block or a cluster per row, no thread
  const float* row_x = x + static_cast<size_t>(row) * cols;
  float* row_y = y + static_cast<size_t>(row) * cols;

  Vec4 held[GROUPS];
  const auto load_slice = [&](int slice) {
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      held[i] = load_group<LANES, VECTOR>(row_x, slice + i * WIDTH, cols);
    }
  };
  Moments mine = {0.0f, 0.0f, 0.0f};
  for (int slice = begin; slice < cols; slice += STRIDE) {
    load_slice(slice);
    mine = merge(mine, moments_of<LANES, GROUPS, VECTOR>(held, slice, cols));
  }
  const Moments all = cluster_merge<CLUSTER>(block_merge<LANES / 32>(mine));
  const float inverse_sd = rsqrtf(all.m2 / cols + eps);

  const int last = begin + (cols - 1 - begin) / STRIDE * STRIDE;
  for (int slice = last; slice >= begin && slice < cols; slice -= STRIDE) {
    if (slice != last) load_slice(slice);  // the last one is still in registers
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      const int first = slice + i * WIDTH;
      const Vec4 scale = load_group<LANES, VECTOR>(gamma, first, cols);
      const Vec4 shift = load_group<LANES, VECTOR>(beta, first, cols);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        held[i].at[k] = (held[i].at[k] - all.mean) * inverse_sd * scale.at[k] + shift.at[k];
      }
      store_group<LANES, VECTOR>(row_y, first, cols, held[i]);
    }
  }
  cluster_wait<CLUSTER>();
}

template <int LANES, int GROUPS, int CLUSTER, bool VECTOR>
void launch_shape(const float* x, const float* gamma, const float* beta, float* y, int rows,
                  int cols, float eps) {
  const auto kernel = layernorm_kernel<LANES, GROUPS, CLUSTER, VECTOR>;
  if (LANES == 32) {
    kernel<<<kata::ceil_div(rows, WARP_ROWS), 32 * WARP_ROWS>>>(x, gamma, beta, y, rows, cols, eps);
  } else if (CLUSTER == 1) {
    kernel<<<rows, LANES>>>(x, gamma, beta, y, rows, cols, eps);
  } else {
    launch_clusters(CLUSTER, rows * CLUSTER, LANES, 0, kernel, x, gamma, beta, y, rows, cols, eps);
  }
}

template <bool VECTOR, class... Arguments>
void launch_long_rows(int cols, Arguments... arguments) {
  if (cols <= 16384 || !has_clusters()) {
    launch_shape<512, 8, 1, VECTOR>(arguments...);
  } else if (cols <= 32768) {
    launch_shape<512, 8, 2, VECTOR>(arguments...);
  } else if (cols <= 65536) {
    launch_shape<512, 8, 4, VECTOR>(arguments...);
  } else {
    launch_shape<512, 8, 8, VECTOR>(arguments...);
  }
}

template <bool VECTOR, class... Arguments>
void launch_rows(int cols, Arguments... arguments) {
  if (cols <= 128) {
    launch_shape<32, 1, 1, VECTOR>(arguments...);
  } else if (cols <= 256) {
    launch_shape<32, 2, 1, VECTOR>(arguments...);
  } else if (cols <= 1024) {
    launch_shape<32, 8, 1, VECTOR>(arguments...);
  } else if (cols <= 4096) {
    launch_shape<256, 4, 1, VECTOR>(arguments...);
  } else {
    launch_long_rows<VECTOR>(cols, arguments...);
  }
}

inline void layernorm_by_rows(const float* x, const float* gamma, const float* beta, float* y,
                              int rows, int cols, float eps) {
  if (cols % 4 == 0) {
    launch_rows<true>(cols, x, gamma, beta, y, rows, cols, eps);
  } else {
    launch_rows<false>(cols, x, gamma, beta, y, rows, cols, eps);
  }
}
