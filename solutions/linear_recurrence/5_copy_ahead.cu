// The next tile is copied to shared memory while the block computes this one.
//
// In rung 4 a block's loads stop while it composes, waits at the barrier and stores. cp.async
// brings the next tile to the other of two stages in the meantime. Each thread copies what it will
// read itself, so no barrier is added. 4-byte copies work for any number of channels, and a warp's
// copies still cover 128 neighbouring bytes. Tiles are half as long, so 4 blocks fit an SM. The
// kernel is in copied_tiles.h.
//
// Prediction: an SM has 4 blocks with 16 KB under way at any time, where 24 KB cover the latency:
// 185 us at 8 x 4096 x 2048, and 2047 channels take as long. Missed: 228 us, more than rung 4. Half
// as long tiles have twice as many barriers. With 2047 channels rung 4 takes 356.
// Measured: 315.7 us at 8x4096x2047, 60 % of the limit (H200, 2026-11-29)
#include "copied_tiles.h"

extern "C" void linear_recurrence(const float* a, const float* b, float* h, int batch, int length,
                                  int channels) {
  launch_copied_tiles(a, b, h, batch, length, channels);
}
