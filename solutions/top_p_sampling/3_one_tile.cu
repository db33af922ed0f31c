// Sums per tile of 512 tokens: the walk reads one tile, not the row.
//
// A warp adds up a tile without barriers: the weight above the cut, and the number of tokens at the
// cut, of which only the first ones of the row are in. Scans over at most 512 tiles find the one in
// which the bound is crossed. Walks and the pass for the nucleus's sum become one pass.
//
// Prediction: the passes for the maximum and the counts take 12 us each, with one load of each
// thread under way. The sums have 16 under way, 8 us, and the walk through one tile takes 4: 40 us
// at 128 x 128256, where two walks alone took 250.
// Measured: 97.7 us at 128x128256, 18 % of the limit (H200, 2026-11-29)
#include "row_kernel.h"

extern "C" void top_p_sampling(const float* logits, const float* p, const float* uniform,
                               int* token, int rows, int vocab) {
  launch_rows<1, 1, 1>({logits, p, uniform, token, vocab}, rows);
}
