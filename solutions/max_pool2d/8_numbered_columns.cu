// Columns of outputs are numbered through all planes, so no lane is idle in small ones.
//
// Rungs 4 and 6 give a block 32 columns of one plane. Planes of 12 columns leave five lanes in
// eight without work, and planes of 9 rows three warps in four. Here thread i takes column i of
// outputs, wherever that lies, as rung 5 does for planes of whole float4. A column has four
// outputs, or two or one where longer ones would not fill the device. Rung 6 stays where planes
// fill half of its tiles; 13 x 13 with stride 1 is faster in rung 7.
//
// Prediction: 12x22x129x23 with 9 x 9, stride 2: 135 loads for four outputs, 10 us instead of 14.
// 8x192x35x35 with 3 x 3, stride 1: 8 us instead of 12. Missed: 10 us instead of 17.
// Measured: 9.8 us at 8x192x35x35x3x1x1, 77 % of the limit (H200, 2026-11-29)
#include <limits.h>

#include "../common/grid_size.h"
#include "separable_tile.h"
#include "vector_window.h"

constexpr int THREADS = 256;

// `across` columns fit beside each other in a plane, `down` below each other.
template <int K, int STRIDE, int LENGTH>
__global__ void __launch_bounds__(THREADS)
    numbered_kernel(const float* input, float* output, Pool pool, unsigned columns, unsigned down) {
  const unsigned i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= columns) return;
  const unsigned group = i / pool.out_W;
  const int out_col = i % pool.out_W, out_row = group % down * LENGTH;
  const size_t plane = group / down;
  pool_column<K, STRIDE, LENGTH>(input + plane * pool.plane_size(),
                                 output + plane * pool.out_plane_size(), pool, out_row, out_col);
}

template <int K, int STRIDE, int LENGTH>
void launch_length(const float* input, float* output, size_t planes, const Pool& pool) {
  const unsigned down = kata::ceil_div(pool.out_H, LENGTH);
  const unsigned columns = static_cast<unsigned>(planes * down * pool.out_W);
  numbered_kernel<K, STRIDE, LENGTH>
      <<<(columns - 1) / THREADS + 1, THREADS>>>(input, output, pool, columns, down);
}

// False if the pooling has another window. Columns are as long as leave three blocks per SM.
template <int K, int STRIDE>
bool launch_numbered(const float* input, float* output, size_t planes, const Pool& pool) {
  if (pool.kernel_size != K || pool.stride != STRIDE) return false;
  const size_t enough = size_t{THREADS} * one_wave(INT_MAX, 3);
  const size_t outputs = planes * pool.out_plane_size();
  if (outputs >= 4 * enough) {
    launch_length<K, STRIDE, 4>(input, output, planes, pool);
  } else if (outputs >= 2 * enough) {
    launch_length<K, STRIDE, 2>(input, output, planes, pool);
  } else {
    launch_length<K, STRIDE, 1>(input, output, planes, pool);
  }
  return true;
}

// Whether planes fill at least half of rung 6's tiles.
static bool fills_tiles(const Pool& pool) {
  const Tiles<SIDE, SIDE> tiles(pool);
  return 2 * pool.out_plane_size() >= size_t{SIDE * SIDE} * tiles.down * tiles.across;
}

extern "C" void max_pool2d(const float* input, float* output, int N, int C, int H, int W,
                           int kernel_size, int stride, int padding) {
  const Pool pool = pool_of(H, W, kernel_size, stride, padding);
  const size_t planes = static_cast<size_t>(N) * C;
  if (fills_tiles(pool) && launch_separable(input, output, planes, pool)) return;
  if (launch_vectors(input, output, planes, pool)) return;
  if (launch_numbered<2, 1>(input, output, planes, pool)) return;
  if (launch_numbered<2, 2>(input, output, planes, pool)) return;
  if (launch_numbered<3, 1>(input, output, planes, pool)) return;
  if (launch_numbered<3, 2>(input, output, planes, pool)) return;
  if (launch_numbered<5, 1>(input, output, planes, pool)) return;
  if (launch_numbered<5, 2>(input, output, planes, pool)) return;
  if (launch_numbered<7, 2>(input, output, planes, pool)) return;
  if (launch_numbered<9, 2>(input, output, planes, pool)) return;
  if (launch_separable(input, output, planes, pool)) return;
  launch_columns(input, output, planes, pool);
}
