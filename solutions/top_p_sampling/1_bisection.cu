// One block per row, and no sort: the cut's logit is found by bisection.
//
// A pass adds up the weights of all tokens that are at least as likely as a trial value. 13 passes
// find the one of 8192 values at which the sum reaches p of the whole. Of the tokens with exactly
// this value, only the first ones are in: a walk counts them. A second walk, with a scan for every
// 1024 tokens, ends where the bound is crossed.
//
// Prediction: 17 passes over a row of 513 KB from L2. An SM computes 16 exponentials per clock, 5
// us per pass, and each thread has one load under way, 0.1 us for each of 125: 12 us per pass, 200
// us. The two walks take 1.2 us per 1024 tokens, 150 us each to the end: 450 us at 128 x 128256.
// Measured: 871.0 us at 128x128256, 2.0 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "bisect.h"

extern "C" void top_p_sampling(const float* logits, const float* p, const float* uniform,
                               int* token, int rows, int vocab) {
  const Rows all = {logits, p, uniform, token, vocab};
  if (vocab < SHORT_ROW) {
    bisect_kernel<FEW_THREADS><<<rows, FEW_THREADS>>>(all);
  } else {
    bisect_kernel<1024><<<rows, 1024>>>(all);
  }
}
