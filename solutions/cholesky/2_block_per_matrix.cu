// A block per matrix, right-looking.
//
// Each finished column is subtracted from all columns to its right at once.
//
// The update of the rest is one product and one subtraction per entry, all independent, so 256
// threads work on it, neighbours on neighbouring columns. The matrix stays where L is written, in
// L2. A column takes three barriers: everyone has read the pivot, the column is scaled, the rest is
// updated.
//
// Prediction: the rest is read and written n times, n^3 / 3 floats: 45 million, 179 MB per matrix of
// 512. 640 matrices are 115 GB, through an L2 of 6.2 TB/s: 18 ms.
// Measured: 72832.9 us at 640x512, 0.6 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "right_looking.h"

extern "C" void cholesky(const float* A, float* L, int batch, int n) {
  launch_right_looking(A, L, batch, n);
}
