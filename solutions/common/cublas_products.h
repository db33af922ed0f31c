#pragma once
// Products of cuBLAS on several devices.

#include <cublas_v2.h>
#include <cuda_bf16.h>

#include "devices.h"

/// The scratch memory behind what is zeroed before the first call.
inline __nv_bfloat16* first_free(void* scratch) {
  return reinterpret_cast<__nv_bfloat16*>(static_cast<char*>(scratch) + (64 << 10));
}

class CublasProducts {
 public:
  /// C = A B in the stream of a device; A is [M, K], B [K, N], by rows.
  void queue(int device, const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int M,
             int N, int K, cudaStream_t stream) {
    const CurrentDevice restore;
    cudaSetDevice(device);
    if (!handles_[device]) cublasCreate(&handles_[device]);
    cublasSetStream(handles_[device], stream);
    const float one = 1, zero = 0;
    // By columns, as cuBLAS has them, this is C^T = B^T A^T.
    cublasGemmEx(handles_[device], CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, B, CUDA_R_16BF, N, A,
                 CUDA_R_16BF, K, &zero, C, CUDA_R_16BF, N, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  }

 private:
  cublasHandle_t handles_[MAX_GPUS] = {};
};
