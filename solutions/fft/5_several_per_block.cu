// Short transforms: several per block.
//
// A transform of 64 points has four threads. Rung 4's blocks of four threads leave 28 lanes of each
// warp idle, and an SM runs 32 blocks at most: 128 threads. Here a block takes as many transforms as
// 256 threads can. Where the threads of a transform are in one warp, __syncwarp() is enough. The
// kernel is in row_groups.h.
//
// Prediction: n = 64 with 2^20 transforms moves 1.07 GB like the others: 260 us. Rung 4 has 16 KB in
// flight per SM, a third of what memory needs: 800 us.
// Measured: 257.5 us at 1024x65536, 99 % of the limit (H200, 2026-11-30)
#include "row_groups.h"
#include "stages.h"

extern "C" void fft(const float* signal, float* spectrum, int n, int batch) {
  if (n > 16384) return launch_stages(signal, spectrum, n, batch);
  launch_rows(reinterpret_cast<const float2*>(signal), reinterpret_cast<float2*>(spectrum), n,
              batch);
}
