// A cluster of blocks per long row: 8 blocks hold up to 131072 columns in their registers.
//
// The rung before reads a row of more than 4096 columns twice, its last slice excepted. Here a
// block of 512 threads holds 16384 columns, and the blocks of a cluster take every CLUSTER-th
// slice. Each publishes its maximum in shared memory, where the others read it. A block must not
// end before they have: it arrives at a barrier before it stores, and waits there after it.
//
// Prediction: 5 bytes per element instead of 9 at 512 x 131072, 80 us at copy speed instead of 134.
// Two blocks share an SM, so that one loads while the other stores. 4096 blocks are 15.5 rounds of
// 264: 90 us. Rows up to 4096 columns run as before.
// Measured: 88.3 us at 512x131072, 90 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/cluster.h"
#include "byte_groups.h"
#include "pack_int8.h"
#include "row_max.h"

// The largest of all blocks of the cluster. All threads call it once, and cluster_wait later.
template <int CLUSTER>
__device__ unsigned cluster_max(unsigned bits) {
#if __CUDA_ARCH__ >= 900
  if (CLUSTER > 1) {
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    __shared__ unsigned published;
    if (threadIdx.x == 0) published = bits;
    cluster.sync();
    for (int rank = 0; rank < CLUSTER; ++rank) {
      bits = max(bits, *cluster.map_shared_rank(&published, rank));
    }
    cluster.barrier_arrive();
  }
#endif
  return bits;
}

template <int LANES, int GROUPS, int CLUSTER, bool VECTOR>
__global__ void quantize_kernel(const float* x, signed char* q, float* scale, int rows, int cols) {
  constexpr int WIDTH = 4 * LANES;  // columns of a group
  constexpr int SLICE = GROUPS * WIDTH;
  constexpr int STRIDE = CLUSTER * SLICE;  // from one slice of a block to its next
  const int begin = cluster_rank<CLUSTER>() * SLICE;
  const int row = blockIdx.x / CLUSTER * (blockDim.x / LANES) + threadIdx.x / LANES;
  if (row >= rows) return;  // a whole warp; with a block or a cluster per row, no thread
  const float* row_x = x + static_cast<size_t>(row) * cols;
  signed char* row_q = q + static_cast<size_t>(row) * cols;

  Vec4 held[GROUPS];
  const auto load_slice = [&](int slice) {
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      held[i] = load_group<LANES, VECTOR>(row_x, slice + i * WIDTH, cols);
    }
  };
  unsigned bits = 0;
  for (int slice = begin; slice < cols; slice += STRIDE) {
    load_slice(slice);
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) bits = max(bits, magnitude_bits(held[i]));
  }
  const float largest = __uint_as_float(cluster_max<CLUSTER>(row_max<LANES>(bits)));
  if (begin == 0 && threadIdx.x % LANES == 0) scale[row] = largest > 0.0f ? largest / 127.0f : 1.0f;

  const float inverse = largest > 0.0f ? 127.0f / largest : 1.0f;
  const int last = begin + (cols - 1 - begin) / STRIDE * STRIDE;
  for (int slice = last; slice >= begin && slice < cols; slice -= STRIDE) {
    if (slice != last) load_slice(slice);  // the last one is still in registers
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      store_bytes<LANES, VECTOR>(row_q, slice + i * WIDTH, cols, pack_int8(held[i], inverse));
    }
  }
  cluster_wait<CLUSTER>();
}

template <int CLUSTER, bool VECTOR>
void launch_long(const float* x, signed char* q, float* scale, int rows, int cols) {
  launch_clusters(CLUSTER, rows * CLUSTER, 512, 0, quantize_kernel<512, 8, CLUSTER, VECTOR>, x, q,
                  scale, rows, cols);
}

template <bool VECTOR>
void launch(const float* x, signed char* q, float* scale, int rows, int cols) {
  const int warp_rows = 4;
  const int warp_grid = kata::ceil_div(rows, warp_rows);
  if (cols <= 256) {
    quantize_kernel<32, 2, 1, VECTOR><<<warp_grid, 32 * warp_rows>>>(x, q, scale, rows, cols);
  } else if (cols <= 1024) {
    quantize_kernel<32, 8, 1, VECTOR><<<warp_grid, 32 * warp_rows>>>(x, q, scale, rows, cols);
  } else if (cols <= 4096) {
    quantize_kernel<256, 4, 1, VECTOR><<<rows, 256>>>(x, q, scale, rows, cols);
  } else if (cols <= 16384 || !has_clusters()) {
    quantize_kernel<512, 8, 1, VECTOR><<<rows, 512>>>(x, q, scale, rows, cols);
  } else if (cols <= 32768) {
    launch_long<2, VECTOR>(x, q, scale, rows, cols);
  } else if (cols <= 65536) {
    launch_long<4, VECTOR>(x, q, scale, rows, cols);
  } else {
    launch_long<8, VECTOR>(x, q, scale, rows, cols);
  }
}

extern "C" void quantize_int8(const float* x, signed char* q, float* scale, int rows, int cols) {
  if (cols % 4 == 0) {
    launch<true>(x, q, scale, rows, cols);
  } else {
    launch<false>(x, q, scale, rows, cols);
  }
}
