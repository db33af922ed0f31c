// Aligned float4 accesses at both ends for every n: warp shuffles make up for the misalignment.
//
// A warp owns 128 elements at the front and the 128 that mirror them. The mirror of an aligned
// vector starts n % 4 = R elements off: part of it is in the lane's own aligned vector, R elements
// are in the neighbour's. Lane 31's vector would straddle the warp's range, so it wraps around: its
// first R elements are the last R of the range. A lane then finds its neighbour modulo 32.
//
// Prediction: the time of the rung before for every n, 125 us at 2^26 + 3 as well. The shuffles (at
// most 6 per lane for 32 bytes) are hidden behind memory.
// Measured: 129.4 us at 67108864, 98 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "mirrored.h"

constexpr int CHUNK = 128;  // elements that a warp takes at each end

// R is n % 4. Block 0 swaps what the warps' chunks leave in the middle.
template <int R>
__global__ void reverse_kernel(float* x, int n, int chunks) {
  if (blockIdx.x == 0) return swap_middle(x, chunks * CHUNK, n);
  const int lane = threadIdx.x % 32;
  const int chunk = (blockIdx.x - 1) * (THREADS / 32) + threadIdx.x / 32;
  if (chunk >= chunks) return;  // a whole warp

  float* front_at = x + chunk * CHUNK + 4 * lane;
  float* back_at = x + (n - R - chunk * CHUNK - 4 * (lane + 1));
  const bool wraps = R > 0 && lane == 31;

  const Vec4 front = load4(front_at);
  const Vec4 back = wraps ? load_wrapped<R>(back_at) : load4(back_at);
  const Vec4 new_front = mirrored<R>(back, (lane + 31) % 32);
  const Vec4 new_back = mirrored<R>(front, (lane + 1) % 32);

  store4(front_at, new_front);
  if (wraps) {
    store_wrapped<R>(back_at, new_back);
  } else {
    store4(back_at, new_back);
  }
}

template <int R>
void launch(float* x, int n) {
  const int chunks = n / 2 / CHUNK;
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
