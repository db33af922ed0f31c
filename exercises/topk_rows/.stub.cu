// topk_rows: of each row of x [rows, cols] the k largest elements, in descending order, and their
// columns; of equal elements the lower column first.
//
// 1 <= k <= cols and k <= 256. x may hold -infinity. values and indices are [rows, k]; they arrive
// filled with NaN and with arbitrary integers.
// Given: one block of 256 threads per row. You may change the launch, add kernels and allocate
// scratch memory.
// Check it: harness/kata check topk_rows   or   ctest -R topk_rows
#include <kata/kata.h>

__global__ void topk_kernel(const float* x, float* values, int* indices, int cols, int k) {
  // your code
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  const int threads = 256;
  topk_kernel<<<rows, threads>>>(x, values, indices, cols, k);
}
