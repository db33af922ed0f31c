// Tile by shape: products with few tiles of 256 x 256 take tiles of 128 x 64.
//
// 1024 cubed has 16 tiles of 256 x 256 for 66 clusters. Rung 12 cuts them along K and adds the
// parts through L2, which takes longer than the product. 128 tiles of 128 x 64 occupy the chip
// uncut. With fewer tiles, the 2, 4 or 8 blocks of a cluster share K and add through distributed
// shared memory (small_tile.h). A large tile reads less per product, so each shape takes the kernel
// and the number of parts for which a model of the time gives less.
//
// Prediction: 1024 cubed in 12.5 us instead of 20, 256 x 256 x 16384 in 16.5 us instead of 36, and
// no change where 256 x 256 tiles occupy at least half of the chip.
// Measured: 181.1 us at 4096x4096x4096, 81 % of the limit (H100 80GB HBM3, 2026-11-25)
#include "scaled.h"
#include "small_tile.h"
#include "split_tail.h"

struct Plan {
  int parts;  // of K, for small tiles; 0: large tiles
  double us;
};

// What trials on an H100 showed, in us after a start of 4 us that both kernels have: blocks with
// 128 x 64 tiles take 0.24 per 64 of K, the time to read 24 KB from L2, and 4 to begin and end.
Plan small_tiles(int M, int N, int k_tiles, int parts) {
  const int tiles = kata::ceil_div(M, small::ROWS) * kata::ceil_div(N, small::COLS);
  // Larger clusters than 2 do not fill the chip: not every GPC has a multiple of 4 SMs.
  const int blocks = parts > 2 ? processors() * 15 / 16 : processors();
  const int waves = kata::ceil_div(tiles, blocks / parts);
  return {parts, waves * (4 + 0.24 * kata::ceil_div(k_tiles, parts))};
}

// Two blocks with a tile of 256 x 256 take 0.56 per 64 of K. The parts of a tile are added one
// after another, 1.3 each, until the start of later ones hides it. Only for less than one wave of
// tiles.
Plan large_tiles(int tiles, int k_tiles, int clusters) {
  const int parts = std::max(SplitTail::parts_of(tiles, k_tiles, clusters), 1);
  const double sum_us = parts > 1 ? 4 + 1.3 * std::min(parts, 16) : 0;
  return {0, 4 + 0.56 * kata::ceil_div(k_tiles, parts) + sum_us};
}

// The parts of K for small tiles, or 0.
int choose(int M, int N, int K) {
  const int tiles = kata::ceil_div(M, BM * CLUSTER) * kata::ceil_div(N, BN);
  const int k_tiles = kata::ceil_div(K, BK<__half>), clusters = processors() / CLUSTER;
  if (tiles >= clusters) return 0;
  Plan best = large_tiles(tiles, k_tiles, clusters);
  for (int parts = 1; parts <= std::min(k_tiles, 8); parts *= 2) {
    const Plan plan = small_tiles(M, N, k_tiles, parts);
    if (plan.us < best.us) best = plan;
  }
  return best.parts;
}

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  const Scaled scaled = {C, M, N, alpha, beta};
  if (const int parts = choose(M, N, K)) {
    small::product(A, B, K, parts, scaled);
  } else {
    cluster_gemm<SplitTail>(A, B, C, M, N, K, scaled);
  }
}
