// Short filters without shared memory: four outputs per thread, inputs straight from L1.
//
// Up to 17 taps, a thread needs at most five float4 of x. Its neighbours load four of them as well,
// and L1 serves those. There is no tile to fill and no barrier. The number of vectors is a template
// parameter: 1, 2 to 5, 6 to 9, 10 to 13 and 14 to 17 taps, with zeros for missing taps. Longer
// filters take rung 5.
//
// Prediction: 8 bytes per output and nothing else to wait for: 95 % of the limit, 34 us at n =
// 2^24, k = 5. No change for k > 17.
// Measured: 44.6 us at 16777216x5, 98 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/sliding_window.h"
#include "guarded4.h"
#include "wide_tile.h"

constexpr int THREADS = 256;
constexpr int UNROLL = 2;  // vectors of outputs per thread

template <int VECTORS>
__global__ void __launch_bounds__(THREADS)
    short_kernel(const float* x, const float* w, float* y, int n, int outputs, int k) {
  constexpr int TAPS = 4 * VECTORS - 3;
  float taps[TAPS];
#pragma unroll
  for (int t = 0; t < TAPS; ++t) taps[t] = t < k ? w[t] : 0.0f;

  const size_t block_first = static_cast<size_t>(blockIdx.x) * THREADS * UNROLL;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const size_t i = 4 * (block_first + u * THREADS + threadIdx.x);
    float in[4 * VECTORS];
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {
      const float4 vector = load4(x, i + 4 * v, n);
      in[4 * v] = vector.x;
      in[4 * v + 1] = vector.y;
      in[4 * v + 2] = vector.z;
      in[4 * v + 3] = vector.w;
    }
    float acc[4] = {};
    apply<TAPS>(acc, in, taps);
    store4(y, i, outputs, make_float4(acc[0], acc[1], acc[2], acc[3]));
  }
}

template <int VECTORS>
void launch_short(const float* x, const float* w, float* y, int n, int k) {
  const int outputs = n - k + 1;
  const int grid = kata::ceil_div(outputs, 4 * THREADS * UNROLL);
  short_kernel<VECTORS><<<grid, THREADS>>>(x, w, y, n, outputs, k);
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  if (k == 1) return launch_short<1>(x, w, y, n, k);
  if (k <= 5) return launch_short<2>(x, w, y, n, k);
  if (k <= 9) return launch_short<3>(x, w, y, n, k);
  if (k <= 13) return launch_short<4>(x, w, y, n, k);
  if (k <= 17) return launch_short<5>(x, w, y, n, k);
  wide_tile::launch(x, w, y, n, k);
}
