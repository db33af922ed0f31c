// 64 boxes a step: one thread settles them, then all threads OR the rows of those that stay.
//
// Within a word the decisions need only its 64 x 64 diagonal tile, which is in shared memory. Their
// effect on all later words can wait until all 64 are known: the loads of up to 64 rows are then
// independent of each other. A thread has a word of the removed boxes in a register (word_sweep.h).
//
// Prediction: 256 steps instead of 16384. A step loads the diagonal, 0.7 us, settles some 24 boxes
// at 30 ns, 0.7 us, and waits about twice for loads of rows, 1.2 us: 670 us. With the matrix of
// rung 2, 130 us: 800 us. Missed: the matrix takes 330 us, and the 64 rows come in eight batches of
// loads, one after the other: 5.3 us per step.
// Measured: 1686.9 us at 16384, 1.2 % of the limit (H200, 2026-11-28)
#include "word_sweep.h"

extern "C" void nms(const float* boxes, int* keep, int n, float threshold) {
  const int words = kata::ceil_div(n, BITS);
  const Word* matrix = bit_matrix(reinterpret_cast<const float4*>(boxes), n, words, threshold);
  word_sweep(matrix, keep, n, words);
}
