#pragma once
// Split-K as in rung 14: the kernel that adds the parts, and the choice of tile and parts.

#include "../common/scratch.h"
#include "async_tiles.h"

constexpr int SMS = 132;

static __global__ void add_parts_kernel(const float* sums, float* C, size_t size, int parts) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float sum = 0.0f;
  for (int p = 0; p < parts; ++p) sum += sums[p * size + i];
  C[i] = sum;
}

struct Plan {
  double work;  // of the busiest SM, in products; the chip does 195,000 per us and SM
  int parts;
};

// `efficiency` of the tile beside 128 x 256. The second kernel takes 2 us and moves parts + 1 times
// the bytes of C.
inline Plan plan_for(int BM, int BN, double efficiency, int M, int N, int K) {
  Plan best = {};
  for (int parts = 1; parts == 1 || (parts <= 8 && K / parts >= 128); ++parts) {
    const double second_kernel = 4e5 + 0.19 * (parts + 1) * M * N;
    const long long rounds = (tile_count(M, N, BM, BN) * parts - 1) / SMS + 1;
    const double work =
        rounds * BM * BN * (1.0 * K / parts + 64) / efficiency + (parts > 1 ? second_kernel : 0.0);
    if (parts == 1 || work < best.work) best = {work, parts};
  }
  return best;
}

struct Choice {
  int tile;  // 0 to 4: 128 x 256, 128 x 128, 64 x 128, 64 x 64, 32 x 64
  int parts;
};

/// `vector`: B allows 16-byte copies. Without them 128 x 256 would need too many registers.
inline Choice choose_tile(bool vector, int M, int N, int K) {
  const Plan plans[] = {plan_for(128, 256, vector ? 1.0 : 0.01, M, N, K),
                        plan_for(128, 128, 0.93, M, N, K), plan_for(64, 128, 0.9, M, N, K),
                        plan_for(64, 64, 0.8, M, N, K), plan_for(32, 64, 0.6, M, N, K)};
  int best = 0;
  for (int i = 1; i < 5; ++i) best = plans[i].work < plans[best].work ? i : best;
  return {best, plans[best].parts};
}
