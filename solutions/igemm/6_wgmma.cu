// TMA and wgmma for bytes: a tile is 128 deep in k, twice that of halves in the same memory.
//
// wgmma takes bytes only with K along the rows of both operands, and B is [N, K]: the TMA unit
// copies it as it is. A row of 128 bytes holds 128 elements of K instead of 64, an instruction
// takes 32 of them, and the rest of the kernel (cluster_gemm.h) is the one for halves. Needs compute
// capability 9.0 (sm_90a).
//
// Prediction: twice the rate of halves at the same bytes per tile, so the 0.188 ms of hgemm at 4096
// cubed become 0.094 ms; C has 4 bytes per element, which go to shared memory in two rounds: 0.1 ms.
// Measured: 96.1 us at 4096x4096x4096, 74 % of the limit (H200, 2026-11-23)
#include "../common/cluster_gemm.h"
#include "store_ints.h"

extern "C" void igemm(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
  cluster_gemm(A, B, C, M, N, K, StoreInts{C, M, N});
}
