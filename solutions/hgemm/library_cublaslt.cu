// cuBLASLt: the fastest of the algorithms that its heuristic proposes, sums in float.
#include <kata/kata.h>

#include <cuda_fp16.h>

#include "../common/cublaslt_product.h"

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  static LtProduct product({CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F});
  product.run(A, B, C, M, N, K, &alpha, &beta, beta == 0.0f);
}
