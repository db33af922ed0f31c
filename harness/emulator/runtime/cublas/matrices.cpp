// cuBLAS, levels 2 and 3, column-major as BLAS is.

#include <algorithm>
#include <vector>

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/cublas/blas.h"
#include "emulator/runtime/cublas/call.h"
#include "emulator/runtime/cublas/product.h"

using namespace kata::emulator;

namespace {

constexpr std::size_t one = 1;  // the length of a character, which Fortran passes too

const char* letter(cublasOperation_t op) {
  return op == CUBLAS_OP_N ? "N" : "T";
}

/// y or C, which is read where it is not multiplied by 0.
template <class T>
void updates(CublasCall& call, const char* name, T* data, Extent extent, T beta) {
  if (beta != T{}) call.reads(name, data, extent);
  call.writes(name, data, extent);
}

template <class T>
cublasStatus_t gemv(CublasCall&& call, cublasOperation_t op, int m, int n, const T* alpha,
                    const T* a, int lda, const T* x, int incx, const T* beta, T* y, int incy) {
  const T scale = call.scalar("alpha", alpha), keep = call.scalar("beta", beta);
  call.require(m >= 0 && n >= 0, "a size is negative");
  call.require_leading("A", lda, m);
  call.reads("A", a, {m, n, lda});
  call.reads("x", x, vector_extent(op == CUBLAS_OP_N ? n : m, incx));
  updates(call, "y", y, vector_extent(op == CUBLAS_OP_N ? m : n, incy), keep);
  if (call.ok())
    call_blas<T>("gemv", letter(op), &m, &n, &scale, a, &lda, x, &incx, &keep, y, &incy, one);
  return call.finish();
}

/// C = alpha op(A) + beta op(B), which BLAS does not have.
template <class T>
cublasStatus_t geam(CublasCall&& call, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                    const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c,
                    int ldc) {
  const T scale_a = call.scalar("alpha", alpha), scale_b = call.scalar("beta", beta);
  const auto extent = [&](cublasOperation_t op, int apart) {
    return op == CUBLAS_OP_N ? Extent{m, n, apart} : Extent{n, m, apart};
  };
  call.require_leading("C", ldc, m);
  if (scale_a != T{}) call.reads("A", a, extent(op_a, lda));
  if (scale_b != T{}) call.reads("B", b, extent(op_b, ldb));
  call.writes("C", c, {m, n, ldc});
  if (!call.ok()) return call.finish();
  const auto at = [](const T* data, cublasOperation_t op, long long row, long long col,
                     long long apart) {
    return op == CUBLAS_OP_N ? data[row + col * apart] : data[col + row * apart];
  };
  for (int col = 0; col < n; ++col) {
    for (int row = 0; row < m; ++row) {
      T sum{};
      if (scale_a != T{}) sum += scale_a * at(a, op_a, row, col, lda);
      if (scale_b != T{}) sum += scale_b * at(b, op_b, row, col, ldb);
      c[row + static_cast<long long>(col) * ldc] = sum;
    }
  }
  return call.finish();
}

#define KATA_CALL(name) CublasCall(handle, name, KATA_CALLER())

}  // namespace

extern "C" {

#define KATA_LEVEL_2(S, T)                                                                       \
  cublasStatus_t cublas##S##gemv_v2(cublasHandle_t handle, cublasOperation_t op, int m, int n,   \
                                    const T* alpha, const T* a, int lda, const T* x, int incx,   \
                                    const T* beta, T* y, int incy) {                             \
    return gemv(KATA_CALL("cublas" #S "gemv"), op, m, n, alpha, a, lda, x, incx, beta, y, incy); \
  }
KATA_LEVEL_2(S, float)
KATA_LEVEL_2(D, double)

#define KATA_LEVEL_3(S, T)                                                                         \
  cublasStatus_t cublas##S##gemm_v2(                                                               \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,  \
      const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {    \
    return products(KATA_CALL("cublas" #S "gemm"), {op_a, op_b, m, n, k, lda, ldb, ldc}, alpha, a, \
                    0, b, 0, beta, c, 0, 1);                                                       \
  }                                                                                                \
  cublasStatus_t cublas##S##gemmStridedBatched(                                                    \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,  \
      const T* alpha, const T* a, int lda, long long stride_a, const T* b, int ldb,                \
      long long stride_b, const T* beta, T* c, int ldc, long long stride_c, int count) {           \
    return products(KATA_CALL("cublas" #S "gemmStridedBatched"),                                   \
                    {op_a, op_b, m, n, k, lda, ldb, ldc}, alpha, a, stride_a, b, stride_b, beta,   \
                    c, stride_c, count);                                                           \
  }                                                                                                \
  cublasStatus_t cublas##S##gemmBatched(                                                           \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,  \
      const T* alpha, const T* const a[], int lda, const T* const b[], int ldb, const T* beta,     \
      T* const c[], int ldc, int count) {                                                          \
    return batch(KATA_CALL("cublas" #S "gemmBatched"), {op_a, op_b, m, n, k, lda, ldb, ldc},       \
                 alpha, a, b, beta, c, count);                                                     \
  }                                                                                                \
  cublasStatus_t cublas##S##geam(cublasHandle_t handle, cublasOperation_t op_a,                    \
                                 cublasOperation_t op_b, int m, int n, const T* alpha, const T* a, \
                                 int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {     \
    return geam(KATA_CALL("cublas" #S "geam"), op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c,   \
                ldc);                                                                              \
  }
KATA_LEVEL_3(S, float)
KATA_LEVEL_3(D, double)

}  // extern "C"
