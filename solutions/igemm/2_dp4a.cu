// dp4a: four products of bytes and their sum in one instruction.
//
// __dp4a takes four neighbouring k of A and of B as one word each, so K is walked in words, here in
// 16 bytes. A row may begin at any address, and a misaligned load is an error: matrices with other
// rows are copied to rows of multiples of 16 bytes, with zeros at the end, which add nothing.
// The rung to reach in 30 minutes.
//
// Prediction: a 16th of the loads of rung 1, and as many wavefronts per load of B (32 rows): 290 ms
// / 16 = 18 ms at 4096 cubed. dp4a itself would take 1.2 ms.
// Measured: 18593.2 us at 4096x4096x4096, 0.4 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/aligned_rows.h"

__global__ void igemm_kernel(AlignedRows<signed char> A, AlignedRows<signed char> B, int* C, int M,
                             int N) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  const int4* const a = reinterpret_cast<const int4*>(A.data + static_cast<size_t>(row) * A.stride);
  const int4* const b = reinterpret_cast<const int4*>(B.data + static_cast<size_t>(col) * B.stride);
  int sum = 0;
  for (int i = 0; i < A.stride / 16; ++i) {
    const int4 x = a[i], y = b[i];
    sum = __dp4a(x.x, y.x, sum);
    sum = __dp4a(x.y, y.y, sum);
    sum = __dp4a(x.z, y.z, sum);
    sum = __dp4a(x.w, y.w, sum);
  }
  C[static_cast<size_t>(row) * N + col] = sum;
}

extern "C" void igemm(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
  static Scratch<uint4> scratch_A, scratch_B;
  const AlignedRows<signed char> a = aligned_rows(A, M, K, scratch_A);
  const AlignedRows<signed char> b = aligned_rows(B, N, K, scratch_B);
  const dim3 block(32, 8);
  const dim3 grid(kata::ceil_div(N, 32), kata::ceil_div(M, 8));
  igemm_kernel<<<grid, block>>>(a, b, C, M, N);
}
