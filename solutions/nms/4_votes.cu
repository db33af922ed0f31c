// The matrix by votes: a lane holds two columns in registers, and a ballot makes 32 bits at once.
//
// No shift and OR per test, one shared load of a row for two tests per lane, areas computed once,
// and a product with the union in place of a division. Coordinates are such that both decide alike
// even at a tie; with any floats they may differ there. The kernel is in vote_matrix.h.
//
// Prediction: 18 issue slots per test instead of 28: six minima and maxima at half rate, two
// differences, two products, two sums, a comparison, a vote. 134 M tests take 82 us. With the sweep
// of rung 3, 670 us: 750 us. Missed: the matrix takes 101 us, but a step of the sweep 5.3 us.
// Measured: 1451.0 us at 16384, 1.4 % of the limit (H200, 2026-11-28)
#include "vote_matrix.h"
#include "word_sweep.h"

extern "C" void nms(const float* boxes, int* keep, int n, float threshold) {
  const int words = kata::ceil_div(n, BITS);
  const Word* matrix = vote_matrix(reinterpret_cast<const float4*>(boxes), n, words, threshold);
  word_sweep(matrix, keep, n, words);
}
