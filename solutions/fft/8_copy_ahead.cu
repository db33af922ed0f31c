// 8192 and 16384 points: the next transform is copied to shared memory while this one is computed.
//
// 16384 points fill the registers of 1024 threads, so an SM has one block, and memory idles while
// it computes. Here as many blocks as fit stay and take one transform after the other. When all
// threads have their points, one thread starts a bulk copy of the next ones into the same buffer.
// The exchange makes do with half of its space: real parts first, then imaginary parts, one empty
// place after every 32. Needs Hopper.
//
// Prediction: 16384 points are 256 KiB in and out, 15400 clocks of an SM's share of memory; the
// three exchanges take 6200, arithmetic 9000 beside them: 290 us, where rung 7 takes 450.
// Measured: 257.8 us at 1024x65536, 98 % of the limit (H200, 2026-11-30)
#include "copy_ahead.h"
#include "panels.h"
#include "row_groups.h"

extern "C" void fft(const float* signal, float* spectrum, int n, int batch) {
  const float2* x = reinterpret_cast<const float2*>(signal);
  float2* y = reinterpret_cast<float2*>(spectrum);
  if (n > 16384) return launch_two_passes(x, y, n, batch, batch);
  if (n == 16384) return launch_copy_ahead<16384>(x, y, batch);
  if (n == 8192) return launch_copy_ahead<8192>(x, y, batch);
  launch_rows(x, y, n, batch);
}
