// Long rows are copied in strips of 128 columns, so that tokens with the same id share one read.
//
// 16384 random ids of 50304 hit 14024 rows. When rung 5 needs a row again, L2 (50 MB) has long
// dropped it: it reads 268 MB where 230 would do. A strip of all tokens is 8 MB in and 8 MB out and
// stays in L2 as long as it is needed. blockIdx.y is the strip, because blocks start in the order
// of blockIdx.x first. Short rows fit in L2 whole and keep the lanes of rung 5; strips of single
// floats (dim not a multiple of 4) lose more than they save.
//
// Prediction: 7 % fewer bytes, but pieces of 512 bytes: 3.5 % faster than rung 5 at 4096 and 1024
// columns, 130 and 33.5 us. Nothing changes at 8 columns.
// Measured: 129.8 us at 16384x50304x4096, 91 % of the limit (H200, 2026-11-26)
#include <kata/kata.h>

#include "column_strips.h"

extern "C" void embedding(const int* ids, const float* table, float* y, int n, int vocabulary,
                          int dim) {
  (void)vocabulary;
  copy_strips(ids, table, y, n, dim);
}
