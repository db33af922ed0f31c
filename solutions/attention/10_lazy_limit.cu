// Lazy rescaling: a rarely updated limit is subtracted from the scores, not the maximum so far.
//
// Any number near the maximum keeps exp2(score - number) in range: softmax divides it out. So the
// limit of a row starts 2^8 above its first tile and rises only when a score exceeds it. A tile
// then needs no maximum and no shuffles: the AND of the sign bits and one vote show that no limit
// rises, and the value warp reads one flag instead of eight factors. FlashAttention-4 skips most of
// its rescaling in this way (docs/ladders.md).
//
// Prediction: 270 instructions per thread and tile beside the products instead of 490: 111.5 us
// instead of 115.9 at d = 64, 213 instead of 219.5 at d = 128.
// Measured: 115.6 us at 4096x4096x64, 57 % of the limit (H200, 2026-11-30)
#include "lazy_limit.h"

template <int D>
void launch(const float* Q, const float* K, const float* V, float* O, int M, int N, int d) {
  merge_quads(launch_parts<D>(Q, K, V, M, N, d), O, M, d);
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
