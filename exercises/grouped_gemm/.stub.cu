// grouped_gemm: C[r] = A[r] B[g] for the rows r of each group g, in bf16, summed in float.
//   A is [M, K], B is [groups, K, N], C is [M, N], all row-major
//   group g has the rows offsets[g] <= r < offsets[g + 1]; offsets[0] = 0, offsets[groups] = M
//
// Some groups are empty. offsets is in device memory.
// Given: one thread per element of C. You may change the launch and add kernels.
// Check it: harness/kata check grouped_gemm   or   ctest -R grouped_gemm
#include <cuda_bf16.h>

#include <kata/kata.h>

__global__ void product_kernel(const __nv_bfloat16* A, const __nv_bfloat16* B, const int* offsets,
                               __nv_bfloat16* C, int groups, int M, int K, int N) {
  // your code
}

extern "C" void grouped_gemm(const __nv_bfloat16* A, const __nv_bfloat16* B, const int* offsets,
                             __nv_bfloat16* C, int groups, int M, int K, int N) {
  const dim3 block(32, 8);
  const dim3 grid(kata::ceil_div(N, 32), kata::ceil_div(M, 8));
  product_kernel<<<grid, block>>>(A, B, offsets, C, groups, M, K, N);
}
