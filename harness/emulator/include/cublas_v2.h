#pragma once
#pragma GCC system_header
// cuBLAS over the BLAS that is installed: the real types, levels 1 to 3. SUPPORTED.md lists what
// there is; any other name is not declared.

#include "kata_emulator/letters_begin.h"

#include "cublas_types.h"
#define CUBLAS_V2_H_  // programs ask for NVIDIA's own include guards
#define CUBLAS_API_H_

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION 120000

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version);
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasGetVersion cublasGetVersion_v2

#define __KATA_CUBLAS(S, s, T)                                                                     \
  cublasStatus_t cublasI##s##amax_v2(cublasHandle_t, int n, const T* x, int incx, int* result);    \
  cublasStatus_t cublas##S##asum_v2(cublasHandle_t, int n, const T* x, int incx, T* result);       \
  cublasStatus_t cublas##S##nrm2_v2(cublasHandle_t, int n, const T* x, int incx, T* result);       \
  cublasStatus_t cublas##S##dot_v2(cublasHandle_t, int n, const T* x, int incx, const T* y,        \
                                   int incy, T* result);                                           \
  cublasStatus_t cublas##S##axpy_v2(cublasHandle_t, int n, const T* alpha, const T* x, int incx,   \
                                    T* y, int incy);                                               \
  cublasStatus_t cublas##S##scal_v2(cublasHandle_t, int n, const T* alpha, T* x, int incx);        \
  cublasStatus_t cublas##S##gemv_v2(cublasHandle_t, cublasOperation_t, int m, int n,               \
                                    const T* alpha, const T* A, int lda, const T* x, int incx,     \
                                    const T* beta, T* y, int incy);                                \
  cublasStatus_t cublas##S##gemm_v2(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m,   \
                                    int n, int k, const T* alpha, const T* A, int lda, const T* B, \
                                    int ldb, const T* beta, T* C, int ldc);                        \
  cublasStatus_t cublas##S##gemmBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t,      \
                                        int m, int n, int k, const T* alpha, const T* const A[],   \
                                        int lda, const T* const B[], int ldb, const T* beta,       \
                                        T* const C[], int ldc, int count);                         \
  cublasStatus_t cublas##S##gemmStridedBatched(                                                    \
      cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const T* alpha,   \
      const T* A, int lda, long long stride_a, const T* B, int ldb, long long stride_b,            \
      const T* beta, T* C, int ldc, long long stride_c, int count);                                \
  cublasStatus_t cublas##S##geam(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m,      \
                                 int n, const T* alpha, const T* A, int lda, const T* beta,        \
                                 const T* B, int ldb, T* C, int ldc);
__KATA_CUBLAS(S, s, float)
__KATA_CUBLAS(D, d, double)
#undef __KATA_CUBLAS

#define cublasIsamax cublasIsamax_v2
#define cublasIdamax cublasIdamax_v2
#define cublasSasum cublasSasum_v2
#define cublasDasum cublasDasum_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasSdot cublasSdot_v2
#define cublasDdot cublasDdot_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasDscal cublasDscal_v2
#define cublasSgemv cublasSgemv_v2
#define cublasDgemv cublasDgemv_v2
#define cublasSgemm cublasSgemm_v2
#define cublasDgemm cublasDgemm_v2

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                                          int m, int n, int k, const void* alpha, const void* A,
                                          cudaDataType a_type, int lda, long long stride_a,
                                          const void* B, cudaDataType b_type, int ldb,
                                          long long stride_b, const void* beta, void* C,
                                          cudaDataType c_type, int ldc, long long stride_c,
                                          int count, cublasComputeType_t, cublasGemmAlgo_t);
cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n,
                            int k, const void* alpha, const void* A, cudaDataType a_type, int lda,
                            const void* B, cudaDataType b_type, int ldb, const void* beta, void* C,
                            cudaDataType c_type, int ldc, cublasComputeType_t, cublasGemmAlgo_t);
cublasStatus_t cublasHgemm(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n,
                           int k, const __half* alpha, const __half* A, int lda, const __half* B,
                           int ldb, const __half* beta, __half* C, int ldc);

}  // extern "C"

// ---- copies between the two sides: the runtime API's, which checks them

namespace __kata {
static inline cublasStatus_t cublas_copy(int rows, int cols, int element_bytes, const void* from,
                                         int from_apart, void* to, int to_apart,
                                         cudaMemcpyKind kind, cudaStream_t stream, bool is_async) {
  if (rows < 0 || cols < 0 || element_bytes <= 0 || from_apart < rows || to_apart < rows)
    return CUBLAS_STATUS_INVALID_VALUE;
  const size_t each = (size_t)element_bytes, pitch = from_apart * each, to_pitch = to_apart * each;
  size_t width = rows * each, height = (size_t)cols;
  if (pitch == width && to_pitch == width) {
    width *= height;
    height = width > 0;
  }
  const cudaError_t error =
      is_async ? cudaMemcpy2DAsync(to, height == 1 ? width : to_pitch, from,
                                   height == 1 ? width : pitch, width, height, kind, stream)
               : cudaMemcpy2D(to, height == 1 ? width : to_pitch, from, height == 1 ? width : pitch,
                              width, height, kind);
  return error ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS;
}
}  // namespace __kata

#define __KATA_CUBLAS_COPIES(way, kind)                                                            \
  static inline cublasStatus_t cublas##way##Vector(int n, int bytes, const void* x, int incx,      \
                                                   void* y, int incy) {                            \
    return ::__kata::cublas_copy(1, n, bytes, x, incx, y, incy, kind, nullptr, false);             \
  }                                                                                                \
  static inline cublasStatus_t cublas##way##VectorAsync(int n, int bytes, const void* x, int incx, \
                                                        void* y, int incy, cudaStream_t stream) {  \
    return ::__kata::cublas_copy(1, n, bytes, x, incx, y, incy, kind, stream, true);               \
  }                                                                                                \
  static inline cublasStatus_t cublas##way##Matrix(int rows, int cols, int bytes, const void* A,   \
                                                   int lda, void* B, int ldb) {                    \
    return ::__kata::cublas_copy(rows, cols, bytes, A, lda, B, ldb, kind, nullptr, false);         \
  }                                                                                                \
  static inline cublasStatus_t cublas##way##MatrixAsync(int rows, int cols, int bytes,             \
                                                        const void* A, int lda, void* B, int ldb,  \
                                                        cudaStream_t stream) {                     \
    return ::__kata::cublas_copy(rows, cols, bytes, A, lda, B, ldb, kind, stream, true);           \
  }
__KATA_CUBLAS_COPIES(Set, cudaMemcpyHostToDevice)
__KATA_CUBLAS_COPIES(Get, cudaMemcpyDeviceToHost)
#undef __KATA_CUBLAS_COPIES

// ---- about speed alone

static inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) {
  return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasGetMathMode(cublasHandle_t, cublasMath_t* mode) {
  *mode = CUBLAS_DEFAULT_MATH;
  return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t) {
  return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}

// ---- before CUDA 11 the type of a computation was named as that of an element

static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta,
                                          cublasOperation_t tb, int m, int n, int k,
                                          const void* alpha, const void* A, cudaDataType a_type,
                                          int lda, const void* B, cudaDataType b_type, int ldb,
                                          const void* beta, void* C, cudaDataType c_type, int ldc,
                                          cudaDataType compute, cublasGemmAlgo_t algorithm) {
  const cublasComputeType_t type = compute == CUDA_R_16F   ? CUBLAS_COMPUTE_16F
                                   : compute == CUDA_R_64F ? CUBLAS_COMPUTE_64F
                                   : compute == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                                                           : CUBLAS_COMPUTE_32F;
  return cublasGemmEx(handle, ta, tb, m, n, k, alpha, A, a_type, lda, B, b_type, ldb, beta, C,
                      c_type, ldc, type, algorithm);
}

#include "kata_emulator/letters_end.h"
