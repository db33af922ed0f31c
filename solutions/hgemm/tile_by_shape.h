#pragma once
// Which tiles rung 13 and the rungs after it take.

#include "small_tile.h"
#include "split_tail.h"

struct Plan {
  int parts;  // of K, for small tiles; 0: large tiles
  double us;
};

constexpr double ENDS_US = 4, ALONE_US = 1.5;  // with aligned rows of C, and nothing cut

// What trials on an H100 showed, in us after a start of 4 us that both kernels have: blocks with
// 128 x 64 tiles take 0.24 per 64 of K, the time to read 24 KB from L2, and ENDS_US to begin and
// end, or `alone_us` if K has one part.
inline Plan small_tiles(int M, int N, int k_tiles, int parts, double alone_us) {
  const int tiles = kata::ceil_div(M, small::ROWS) * kata::ceil_div(N, small::COLS);
  // Larger clusters than 2 do not fill the chip: not every GPC has a multiple of 4 SMs.
  const int blocks = parts > 2 ? processors() * 15 / 16 : processors();
  const int waves = kata::ceil_div(tiles, blocks / parts);
  const double ends_us = parts == 1 ? alone_us : ENDS_US;
  return {parts, waves * (ends_us + 0.24 * kata::ceil_div(k_tiles, parts))};
}

// Two blocks with a tile of 256 x 256 take 0.56 per 64 of K. The parts of a tile are added one
// after another, 1.3 each, until the start of later ones hides it. Only for less than one wave of
// tiles.
inline Plan large_tiles(int tiles, int k_tiles, int clusters) {
  const int parts = std::max(SplitTail::parts_of(tiles, k_tiles, clusters), 1);
  const double sum_us = parts > 1 ? 4 + 1.3 * std::min(parts, 16) : 0;
  return {0, 4 + 0.56 * kata::ceil_div(k_tiles, parts) + sum_us};
}

// The parts of K for small tiles, or 0.
inline int choose(int M, int N, int K, double alone_us = ENDS_US) {
  const int tiles = kata::ceil_div(M, BM * CLUSTER) * kata::ceil_div(N, BN);
  const int k_tiles = kata::ceil_div(K, BK<__half>), clusters = processors() / CLUSTER;
  if (tiles >= clusters) return 0;
  Plan best = large_tiles(tiles, k_tiles, clusters);
  for (int parts = 1; parts <= std::min(k_tiles, 8); parts *= 2) {
    const Plan plan = small_tiles(M, N, k_tiles, parts, alone_us);
    if (plan.us < best.us) best = plan;
  }
  return best.parts;
}

// Whether rung 12 cuts the tiles of the last wave.
inline bool cuts_tiles(int M, int N, int K) {
  const int tiles = kata::ceil_div(M, BM * CLUSTER) * kata::ceil_div(N, BN);
  const int clusters = processors() / CLUSTER;
  return SplitTail::parts_of(tiles % clusters, kata::ceil_div(K, BK<__half>), clusters) > 1;
}
