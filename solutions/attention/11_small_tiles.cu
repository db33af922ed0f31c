// Tile by shape: few queries take tiles of 16, 32 or 64 queries, in blocks of 128 threads.
//
// A tile of rung 10 has 64 to 256 queries and is computed by one SM: 1024 x 1024 x 64 has 64 tiles
// for 132 SMs, 111 queries fill 43 % of one. Rung 7's tiles are smaller, several share an SM, and
// where one block has all keys it stores O itself (small_tile.h). Few rows in many parts are merged
// by a block each: 128 rows of 128 parts were read by 16 blocks, 8 loads at a time. How many rows
// of scores an SM has, M key tiles / SMs, decides: trials show where larger tiles win.
//
// Prediction (H200): 22 us instead of 29 at 1024x1024x64, 30 instead of 55 at 128x16384x64, 10
// instead of 26 at 40x62x120; others as before. Trials took 19.8, 29.3 and 12.0 (2026-11-29).
// Measured: 115.4 us at 4096x4096x64, 57 % of the limit (H200, 2026-11-30)
#include "../common/resident_blocks.h"
#include "lazy_limit.h"
#include "small_tile.h"

template <int ROWS, int D>
void launch_small(const float* Q, const float* K, const float* V, float* O, int M, int N, int d) {
  using T = RegisterTile<ROWS, D>;
  const auto kernel = small_kernel<T>;
  const int places = resident_blocks(kernel, T::THREADS, T::SHARED_BYTES);
  const int query_tiles = kata::ceil_div(M, T::BM);
  const int tiles = tiles_of_part(places, query_tiles, N);
  const QuadParts parts = make_quad_parts(kata::ceil_div(N, tiles * BN), M, d);
  kernel<<<dim3(query_tiles, parts.count), T::THREADS, T::SHARED_BYTES>>>(Q, K, V, parts, tiles, O,
                                                                          M, N, d, 1.0f / sqrtf(d));
  if (parts.count > 1) merge(parts, O, M, d);
}

template <int D>
void launch(const float* Q, const float* K, const float* V, float* O, int M, int N, int d) {
  const int rows = M * kata::ceil_div(N, BN) / processors();  // of scores, 64 keys wide, for an SM
  if (rows > max(128, RoleMemory<D>::BM)) {
    merge(launch_parts<D>(Q, K, V, M, N, d), O, M, d);
  } else if (rows >= 64 && M > 32) {
    launch_small<4, D>(Q, K, V, O, M, N, d);
  } else if (rows >= 16 && M > 16) {
    launch_small<2, D>(Q, K, V, O, M, N, d);
  } else {
    launch_small<1, D>(Q, K, V, O, M, N, d);
  }
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  if (d <= 64) {
    launch<64>(Q, K, V, O, M, N, d);
  } else if (d <= 128) {
    launch<128>(Q, K, V, O, M, N, d);
  } else {
    launch<256>(Q, K, V, O, M, N, d);
  }
}
