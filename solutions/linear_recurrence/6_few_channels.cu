// With at most four channels, a tile is longer instead of wider, and passes through shared memory.
//
// Rung 5 gives a lane to each of 32 channels, so one channel leaves 31 of 32 lanes idle. Here 256
// threads have 4096 steps of one channel, or 1024 steps of four. A warp's loads and stores still go
// to neighbouring addresses; shared memory hands each thread its own 16 steps in a row (tile.h).
// The maps of a warp's lanes meet by shuffles.
//
// Prediction: 64 x 16384 x 1 has 4 tiles per sequence, not 256, at 2.5 us each: 12 us, where rung 5
// needs 190 us. The bytes take 2.7 us. Other sizes as in rung 5.
// Measured: 11.5 us at 64x16384x1, 56 % of the limit (H200, 2026-11-29)
#include "copied_tiles.h"
#include "narrow_tiles.h"

extern "C" void linear_recurrence(const float* a, const float* b, float* h, int batch, int length,
                                  int channels) {
  if (channels > 4) {
    launch_copied_tiles(a, b, h, batch, length, channels);
  } else if (channels > 1) {
    launch_narrow_tiles<4>(a, b, h, batch, length, channels);
  } else {
    launch_narrow_tiles<1>(a, b, h, batch, length, channels);
  }
}
