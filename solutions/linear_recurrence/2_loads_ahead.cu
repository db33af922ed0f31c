// The loads of 16 steps are issued before the first of them is used.
//
// Only h depends on the step before; a and b do not. So a thread loads 16 pairs into registers and
// then computes 16 steps: it waits for memory once per 16 steps. The walk is in walk.h.
//
// Prediction: 16384 threads with 32 loads of 4 bytes are 2.1 MB under way, and 4.6 TB/s at 0.7 us
// need 3.2 MB: 270 us at 8 x 4096 x 2048. 1 x 65536 x 64 still has 64 threads: 2.9 ms.
// Measured: 293.3 us at 8x4096x2048, 64 % of the limit (H200, 2026-11-29)
#include "walk.h"

extern "C" void linear_recurrence(const float* a, const float* b, float* h, int batch, int length,
                                  int channels) {
  launch_walk(a, b, h, batch, length, channels);
}
