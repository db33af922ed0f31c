// Equal logits do not queue for one count.
//
// Where all tokens of a warp have the same logit, its 32 atomics go to one address, one after the
// other. A thread adds equal neighbours of its four tokens at once, and two copies of each count,
// for even and odd lanes, halve the rest.
//
// Prediction: a row of equal logits costs 128256 steps of one atomic, 75 us, and the block that has
// it is the last to end. Runs make this a quarter and copies an eighth: 10 us, hidden behind the
// loads. Rows without equal neighbours gain nothing. 128 rows of all kinds: 100 to 55 us.
// Measured: 66.5 us at 128x128256, 27 % of the limit (H200, 2026-11-29)
#include "row_kernel.h"

extern "C" void top_p_sampling(const float* logits, const float* p, const float* uniform,
                               int* token, int rows, int vocab) {
  const Rows all = {logits, p, uniform, token, vocab};
  const auto launch = has_wide_rows(all) ? launch_rows<4, 16, 2> : launch_rows<1, 16, 2>;
  launch(all, rows);
}
