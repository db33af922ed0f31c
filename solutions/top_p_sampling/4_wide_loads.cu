// Every pass loads 16 tokens per thread before it uses the first, four per load.
//
// A thread that waits for each token has 4 KB per SM under way with 1024 threads, and memory needs
// about 40 KB to be busy. 16 tokens are 64 KB. Rows that do not begin at multiples of 16 bytes
// have the same number of tokens under way, in four times as many loads.
//
// Prediction: the row comes from memory once, 18 us for all 66 MB, and mostly from memory again in
// the two other passes, since it does not fit into L2: 15 us each. With the walk and the scans, 55
// us at 128 x 128256, and half of it where the rows fit. Rung 3's estimate is as good: it decides.
// Measured: 57.5 us at 128x128256, 31 % of the limit (H200, 2026-11-29)
#include "row_kernel.h"

extern "C" void top_p_sampling(const float* logits, const float* p, const float* uniform,
                               int* token, int rows, int vocab) {
  const Rows all = {logits, p, uniform, token, vocab};
  const auto launch = has_wide_rows(all) ? launch_rows<4, 16, 1> : launch_rows<1, 16, 1>;
  launch(all, rows);
}
