// Several vectors in flight: a warp takes 4 vectors per lane and end before it stores any of them.
//
// Only where n is a multiple of 4; else one, as in the rung before. With chunks of 4 vectors of
// which the last one wraps, 2^26 + 3 took 318 us instead of 133, with 4 or 5 blocks per SM, and
// 48032402 160 instead of 97 (H200, 2026-11-29).
//
// Prediction: 128 bytes in flight per thread. The rung before has 32, 64 KB per SM with 2048
// threads, where 11 KB are enough at 2149 GB/s of reads and 700 ns: no gain at 2^26. At 2^20 one
// wave of 128 blocks: 1 us less, perhaps.
// Measured: 131.3 us at 67108864, 97 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "mirrored.h"

template <int R>
constexpr int VECTORS = R == 0 ? 4 : 1;  // per lane and end
template <int R>
constexpr int CHUNK = 128 * VECTORS<R>;  // elements that a warp takes at each end

// R is n % 4. Block 0 swaps what the warps' chunks leave in the middle.
template <int R>
__global__ void reverse_kernel(float* x, int n, int chunks) {
  if (blockIdx.x == 0) return swap_middle(x, chunks * CHUNK<R>, n);
  const int lane = threadIdx.x % 32;
  const int chunk = (blockIdx.x - 1) * (THREADS / 32) + threadIdx.x / 32;
  if (chunk >= chunks) return;  // a whole warp

  float* front_at = x + chunk * CHUNK<R> + 4 * lane;
  float* back_at = x + (n - R - chunk * CHUNK<R> - 4 * (lane + 1));
  const bool wraps = R > 0 && lane == 31;

  Vec4 front[VECTORS<R>], back[VECTORS<R>];
#pragma unroll
  for (int v = 0; v < VECTORS<R>; ++v) {
    front[v] = load4(front_at + 128 * v);
    back[v] = wraps ? load_wrapped<R>(back_at) : load4(back_at - 128 * v);
  }
#pragma unroll
  for (int v = 0; v < VECTORS<R>; ++v) {
    const Vec4 new_front = mirrored<R>(back[v], (lane + 31) % 32);
    const Vec4 new_back = mirrored<R>(front[v], (lane + 1) % 32);
    store4(front_at + 128 * v, new_front);
    if (wraps) {
      store_wrapped<R>(back_at, new_back);
    } else {
      store4(back_at - 128 * v, new_back);
    }
  }
}

template <int R>
void launch(float* x, int n) {
  const int chunks = n / 2 / CHUNK<R>;
  const int grid = 1 + kata::ceil_div(chunks, THREADS / 32);
  reverse_kernel<R><<<grid, THREADS>>>(x, n, chunks);
}

extern "C" void reverse(float* x, int n) {
  switch (n % 4) {
    case 0:
      return launch<0>(x, n);
    case 1:
      return launch<1>(x, n);
    case 2:
      return launch<2>(x, n);
    default:
      return launch<3>(x, n);
  }
}
