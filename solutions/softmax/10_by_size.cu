// The kernel by size: two kernels for short vectors, one with a grid barrier for long ones.
//
// The barrier of rung 9 costs about 3 us more than the second launch of rung 6. A short vector gets
// that back only when its second read costs as much. L2 serves that read, so the gain per element
// is small: rung 9 takes 1.6 us per million elements, rung 6 takes 2.9.
//
// Prediction: at 2^20 the time of rung 6, 10.6 us instead of 13.6; unchanged at 2^24. The lines
// cross near 3.5 million elements.
// Measured: 11.0 us at 1048576, 57 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

#include "one_kernel.h"
#include "two_kernels.h"

constexpr int LONG_VECTOR = 7 << 19;  // 3.67 million elements

extern "C" void softmax(const float* x, float* y, int n) {
  const int count4 = is_aligned16(x) && is_aligned16(y) ? n / 4 : 0;
  if (n < LONG_VECTOR) {
    two_kernels::launch(x, y, n, count4);
  } else {
    one_kernel::launch(x, y, n, count4);
  }
}
