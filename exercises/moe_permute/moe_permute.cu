// moe_permute: copies the rows of x [tokens, dim] to y [tokens * k, dim], grouped by expert.
// Assignment a = t * k + j sends token t to expert[a].
//   offsets[e]  = number of assignments to experts below e; offsets has experts + 1 entries
//   position[a] = offsets[expert[a]] + number of earlier assignments to the same expert
//   y[position[a]] = x[a / k], bit for bit
//
// expert and position are [tokens, k], 0 <= expert[a] < experts. Outputs arrive filled with NaN and
// with arbitrary integers.
// Given: one block of 256 threads per assignment, which copies the row, and a first kernel for the
// places. You may change the launches, add kernels and allocate scratch memory.
// Check it: harness/kata check moe_permute   or   ctest -R moe_permute
#include <kata/kata.h>

#include <cuda_bf16.h>

__global__ void place_kernel(const int* expert, int* offsets, int* position, int assignments,
                             int experts) {
  // your code
}

__global__ void copy_kernel(const __nv_bfloat16* x, const int* position, __nv_bfloat16* y, int dim,
                            int k) {
  // your code
}

extern "C" void moe_permute(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y,
                            int* offsets, int* position, int tokens, int dim, int experts, int k) {
  const int assignments = tokens * k;
  place_kernel<<<1, 1024>>>(expert, offsets, position, assignments, experts);
  copy_kernel<<<assignments, 256>>>(x, position, y, dim, k);
}
