// cuBLAS's products of elements of any type: converted, multiplied by BLAS, and converted back.

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/cublas/elements.h"
#include "emulator/runtime/cublas/product.h"

using namespace kata::emulator;

namespace {

/// In double precision, rounded once at the end.
cublasStatus_t narrow_products(CublasCall&& call, const Product& p, cudaDataType scalars,
                               const void* alpha, const void* a, cudaDataType a_type,
                               long long stride_a, const void* b, cudaDataType b_type,
                               long long stride_b, const void* beta, void* c, cudaDataType c_type,
                               long long stride_c, int count) {
  const double scale = scalar(call, "alpha", alpha, scalars);
  const double keep = scalar(call, "beta", beta, scalars);
  p.check_sizes(call);
  for (cudaDataType type : {a_type, b_type, c_type})
    call.require(bytes_of(type) > 0, "the emulator's cuBLAS has no such type of elements");
  for (int i = 0; i < count && call.ok(); ++i) {
    const auto at = [&](const void* data, cudaDataType type, long long stride) {
      return static_cast<const char*>(data) + i * stride * static_cast<long long>(bytes_of(type));
    };
    const Elements A{at(a, a_type, stride_a), a_type, p.a()};
    const Elements B{at(b, b_type, stride_b), b_type, p.b()};
    const Elements C{at(c, c_type, stride_c), c_type, p.c()};
    A.check(call, "A", false);
    B.check(call, "B", false);
    if (keep != 0) C.check(call, "C", false);
    C.check(call, "C", true);
    if (call.ok()) C.set(multiply(p.op_a, p.op_b, scale, A, B, keep, C));
  }
  return call.finish();
}

}  // namespace

extern "C" {

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                            int m, int n, int k, const void* alpha, const void* a,
                            cudaDataType a_type, int lda, const void* b, cudaDataType b_type,
                            int ldb, const void* beta, void* c, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t) {
  return narrow_products(CublasCall(handle, "cublasGemmEx", KATA_CALLER()),
                         {op_a, op_b, m, n, k, lda, ldb, ldc}, scalar_type(compute), alpha, a,
                         a_type, 0, b, b_type, 0, beta, c, c_type, 0, 1);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a,
                                          cublasOperation_t op_b, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long stride_a, const void* b,
                                          cudaDataType b_type, int ldb, long long stride_b,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long stride_c, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
  return narrow_products(CublasCall(handle, "cublasGemmStridedBatchedEx", KATA_CALLER()),
                         {op_a, op_b, m, n, k, lda, ldb, ldc}, scalar_type(compute), alpha, a,
                         a_type, stride_a, b, b_type, stride_b, beta, c, c_type, stride_c, count);
}

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                           int m, int n, int k, const void* alpha, const void* a, int lda,
                           const void* b, int ldb, const void* beta, void* c, int ldc) {
  return narrow_products(CublasCall(handle, "cublasHgemm", KATA_CALLER()),
                         {op_a, op_b, m, n, k, lda, ldb, ldc}, CUDA_R_16F, alpha, a, CUDA_R_16F, 0,
                         b, CUDA_R_16F, 0, beta, c, CUDA_R_16F, 0, 1);
}

}  // extern "C"
