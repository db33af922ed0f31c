// cuBLASLt: the fastest of the algorithms that its heuristic proposes, exact in int.
//
// It takes rows of multiples of 4 bytes only; other matrices are padded first.
#include <kata/kata.h>

#include "../common/aligned_rows.h"
#include "../common/cublaslt_product.h"

extern "C" void igemm(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
  static Scratch<uint4> scratch_A, scratch_B;
  static LtProduct product({CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I, true});
  const AlignedRows<signed char> a = aligned_rows(A, M, K, scratch_A);
  const AlignedRows<signed char> b = aligned_rows(B, N, K, scratch_B);
  const int one = 1, zero = 0;
  product.run(a.data, b.data, C, M, N, a.stride, &one, &zero, true);
}
