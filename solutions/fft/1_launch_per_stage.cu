// One thread per butterfly and one launch per stage, in global memory.
//
// A transform of n points is made of two of n / 2, of the even and of the odd points, and these of
// four of n / 4. Put the points in bit-reversed order and all transforms of one point are side by
// side; each of log2 n stages doubles their length in place. A stage needs all of the one before:
// the end of a launch is the barrier. The kernels are in stages.h.
//
// Prediction: at n = 1024, ten stages read and write 1.07 GB each, 250 us; the reordering reads 8
// bytes of each sector of 32 through L2, perhaps 400 us: 2900 us.
// Measured: 3104.9 us at 1024x65536, 8.2 % of the limit (H200, 2026-11-30)
#include "stages.h"

extern "C" void fft(const float* signal, float* spectrum, int n, int batch) {
  launch_stages(signal, spectrum, n, batch);
}
