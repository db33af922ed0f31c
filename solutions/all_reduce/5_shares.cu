// Each device adds up its share of the elements, and stores the sums into all results.
//
// One-shot moves (gpus - 1) n elements to each device. A reduce-scatter and an all-gather move only
// 2 (gpus - 1) / gpus n. Usually the devices meet between the two; here the device that has a sum
// stores it into the peers' results at once, so the meetings at both ends are enough. All devices
// get the same sum, so the results are equal bit for bit.
//
// Prediction: at 2^26 elements on 4 devices each link carries 201 MB of inputs and 201 MB of sums
// in each direction: 1.15 ms at 360 GB/s, where one-shot takes 2.25. On 2 devices the bytes are the
// same as in rung 4: 0.78 ms. At 2^14 elements it is no faster: 8 us.
// Measured: 817.7 us at 67108864x2, 87 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "shares.h"

extern "C" void all_reduce(const float* const* x, float* const* y, void* const* scratch, int n,
                           int gpus, const cudaStream_t* streams) {
  static unsigned round = 0;
  const CurrentDevice restore;
  Devices all = devices_of(x, y, scratch, gpus);
  const int grid = min(kata::ceil_div(n, 4 * THREADS), MOST_BLOCKS);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    all.me = g;
    shares_kernel<<<grid, THREADS, 0, streams[g]>>>(all, n, round + 1);
  }
  round += 2;
}
