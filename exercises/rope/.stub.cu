// rope: every row of x is rotated, pair by pair. Element j of a row and element j + dim / 2 form a
// pair: y[j] = x[j] cosine[j] - x[j + dim / 2] sine[j], and
// y[j + dim / 2] = x[j + dim / 2] cosine[j + dim / 2] + x[j] sine[j + dim / 2].
//
// x, cosine, sine and y are [tokens, dim], row-major; dim is even. y arrives filled with NaN.
// Given: one thread per element, 256 threads per block. You may change the launch and add helpers.
// Check it: harness/kata check rope   or   ctest -R rope
#include <kata/kata.h>

__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            int tokens, int dim) {
  // your code
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  const size_t elements = static_cast<size_t>(tokens) * dim;
  const int block = 256;
  const int grid = static_cast<int>((elements - 1) / block + 1);
  rope_kernel<<<grid, block>>>(x, cosine, sine, y, tokens, dim);
}
