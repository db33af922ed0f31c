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
const char* letter(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_LOWER ? "L" : "U";
}
const char* letter(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_LEFT ? "L" : "R";
}
const char* letter(cublasDiagType_t diag) {
  return diag == CUBLAS_DIAG_UNIT ? "U" : "N";
}

/// y or C, which is read where it is not multiplied by 0.
template <class T>
void updates(CublasCall& call, const char* name, T* data, Extent extent, T beta,
             bool partly = false) {
  if (beta != T{}) call.reads(name, data, extent, partly);
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

template <class T>
cublasStatus_t ger(CublasCall&& call, int m, int n, const T* alpha, const T* x, int incx,
                   const T* y, int incy, T* a, int lda) {
  const T scale = call.scalar("alpha", alpha);
  call.require(m >= 0 && n >= 0, "a size is negative");
  call.require_leading("A", lda, m);
  call.reads("x", x, vector_extent(m, incx));
  call.reads("y", y, vector_extent(n, incy));
  updates(call, "A", a, {m, n, lda}, T{1});
  if (call.ok()) call_blas<T>("ger", &m, &n, &scale, x, &incx, y, &incy, a, &lda);
  return call.finish();
}

template <class T>
cublasStatus_t symv(CublasCall&& call, cublasFillMode_t uplo, int n, const T* alpha, const T* a,
                    int lda, const T* x, int incx, const T* beta, T* y, int incy) {
  const T scale = call.scalar("alpha", alpha), keep = call.scalar("beta", beta);
  call.require_leading("A", lda, n);
  call.reads("A", a, {n, n, lda}, true);
  call.reads("x", x, vector_extent(n, incx));
  updates(call, "y", y, vector_extent(n, incy), keep);
  if (call.ok())
    call_blas<T>("symv", letter(uplo), &n, &scale, a, &lda, x, &incx, &keep, y, &incy, one);
  return call.finish();
}

template <class T>
cublasStatus_t syr(CublasCall&& call, cublasFillMode_t uplo, int n, const T* alpha, const T* x,
                   int incx, T* a, int lda) {
  const T scale = call.scalar("alpha", alpha);
  call.require_leading("A", lda, n);
  call.reads("x", x, vector_extent(n, incx));
  updates(call, "A", a, {n, n, lda}, T{1}, true);
  if (call.ok()) call_blas<T>("syr", letter(uplo), &n, &scale, x, &incx, a, &lda, one);
  return call.finish();
}

/// trmv and trsv.
template <class T>
cublasStatus_t triangle_vector(CublasCall&& call, const char* name, cublasFillMode_t uplo,
                               cublasOperation_t op, cublasDiagType_t diag, int n, const T* a,
                               int lda, T* x, int incx) {
  call.require_leading("A", lda, n);
  call.reads("A", a, {n, n, lda}, true);
  updates(call, "x", x, vector_extent(n, incx), T{1});
  if (call.ok())
    call_blas<T>(name, letter(uplo), letter(op), letter(diag), &n, a, &lda, x, &incx, one, one,
                 one);
  return call.finish();
}

template <class T>
cublasStatus_t symm(CublasCall&& call, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,
                    const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c,
                    int ldc) {
  const T scale = call.scalar("alpha", alpha), keep = call.scalar("beta", beta);
  const int order = side == CUBLAS_SIDE_LEFT ? m : n;
  call.require_leading("A", lda, order);
  call.require_leading("B", ldb, m);
  call.require_leading("C", ldc, m);
  call.reads("A", a, {order, order, lda}, true);
  call.reads("B", b, {m, n, ldb});
  updates(call, "C", c, {m, n, ldc}, keep);
  if (call.ok())
    call_blas<T>("symm", letter(side), letter(uplo), &m, &n, &scale, a, &lda, b, &ldb, &keep, c,
                 &ldc, one, one);
  return call.finish();
}

template <class T>
cublasStatus_t syrk(CublasCall&& call, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,
                    const T* alpha, const T* a, int lda, const T* beta, T* c, int ldc) {
  const T scale = call.scalar("alpha", alpha), keep = call.scalar("beta", beta);
  const bool plain = op == CUBLAS_OP_N;
  call.require_leading("A", lda, plain ? n : k);
  call.require_leading("C", ldc, n);
  call.reads("A", a, plain ? Extent{n, k, lda} : Extent{k, n, lda});
  updates(call, "C", c, {n, n, ldc}, keep, true);
  if (call.ok())
    call_blas<T>("syrk", letter(uplo), letter(op), &n, &k, &scale, a, &lda, &keep, c, &ldc, one,
                 one);
  return call.finish();
}

/// trmm and trsm: B in place.
template <class T>
void triangle_matrix(CublasCall& call, const char* name, cublasSideMode_t side,
                     cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int m,
                     int n, T alpha, const T* a, int lda, T* b, int ldb) {
  if (call.ok())
    call_blas<T>(name, letter(side), letter(uplo), letter(op), letter(diag), &m, &n, &alpha, a,
                 &lda, b, &ldb, one, one, one, one);
}

template <class T>
cublasStatus_t trsm(CublasCall&& call, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t op, cublasDiagType_t diag, int m, int n, const T* alpha,
                    const T* a, int lda, T* b, int ldb) {
  const T scale = call.scalar("alpha", alpha);
  const int order = side == CUBLAS_SIDE_LEFT ? m : n;
  call.require_leading("A", lda, order);
  call.require_leading("B", ldb, m);
  call.reads("A", a, {order, order, lda}, true);
  updates(call, "B", b, {m, n, ldb}, T{1});
  triangle_matrix(call, "trsm", side, uplo, op, diag, m, n, scale, a, lda, b, ldb);
  return call.finish();
}

/// Unlike BLAS's, into a matrix of its own.
template <class T>
cublasStatus_t trmm(CublasCall&& call, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t op, cublasDiagType_t diag, int m, int n, const T* alpha,
                    const T* a, int lda, const T* b, int ldb, T* c, int ldc) {
  const T scale = call.scalar("alpha", alpha);
  const int order = side == CUBLAS_SIDE_LEFT ? m : n;
  call.require_leading("A", lda, order);
  call.require_leading("B", ldb, m);
  call.require_leading("C", ldc, m);
  call.reads("A", a, {order, order, lda}, true);
  call.reads("B", b, {m, n, ldb});
  call.writes("C", c, {m, n, ldc});
  for (long long col = 0; call.ok() && c != b && col < n; ++col)
    std::copy_n(b + col * ldb, m, c + col * ldc);
  triangle_matrix(call, "trmm", side, uplo, op, diag, m, n, scale, a, lda, c, ldc);
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
  }                                                                                              \
  cublasStatus_t cublas##S##ger_v2(cublasHandle_t handle, int m, int n, const T* alpha,          \
                                   const T* x, int incx, const T* y, int incy, T* a, int lda) {  \
    return ger(KATA_CALL("cublas" #S "ger"), m, n, alpha, x, incx, y, incy, a, lda);             \
  }                                                                                              \
  cublasStatus_t cublas##S##symv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,         \
                                    const T* alpha, const T* a, int lda, const T* x, int incx,   \
                                    const T* beta, T* y, int incy) {                             \
    return symv(KATA_CALL("cublas" #S "symv"), uplo, n, alpha, a, lda, x, incx, beta, y, incy);  \
  }                                                                                              \
  cublasStatus_t cublas##S##syr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,          \
                                   const T* alpha, const T* x, int incx, T* a, int lda) {        \
    return syr(KATA_CALL("cublas" #S "syr"), uplo, n, alpha, x, incx, a, lda);                   \
  }                                                                                              \
  cublasStatus_t cublas##S##trmv_v2(cublasHandle_t handle, cublasFillMode_t uplo,                \
                                    cublasOperation_t op, cublasDiagType_t diag, int n,          \
                                    const T* a, int lda, T* x, int incx) {                       \
    return triangle_vector(KATA_CALL("cublas" #S "trmv"), "trmv", uplo, op, diag, n, a, lda, x,  \
                           incx);                                                                \
  }                                                                                              \
  cublasStatus_t cublas##S##trsv_v2(cublasHandle_t handle, cublasFillMode_t uplo,                \
                                    cublasOperation_t op, cublasDiagType_t diag, int n,          \
                                    const T* a, int lda, T* x, int incx) {                       \
    return triangle_vector(KATA_CALL("cublas" #S "trsv"), "trsv", uplo, op, diag, n, a, lda, x,  \
                           incx);                                                                \
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
  cublasStatus_t cublas##S##symm_v2(                                                               \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,           \
      const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {    \
    return symm(KATA_CALL("cublas" #S "symm"), side, uplo, m, n, alpha, a, lda, b, ldb, beta, c,   \
                ldc);                                                                              \
  }                                                                                                \
  cublasStatus_t cublas##S##syrk_v2(cublasHandle_t handle, cublasFillMode_t uplo,                  \
                                    cublasOperation_t op, int n, int k, const T* alpha,            \
                                    const T* a, int lda, const T* beta, T* c, int ldc) {           \
    return syrk(KATA_CALL("cublas" #S "syrk"), uplo, op, n, k, alpha, a, lda, beta, c, ldc);       \
  }                                                                                                \
  cublasStatus_t cublas##S##trmm_v2(cublasHandle_t handle, cublasSideMode_t side,                  \
                                    cublasFillMode_t uplo, cublasOperation_t op,                   \
                                    cublasDiagType_t diag, int m, int n, const T* alpha,           \
                                    const T* a, int lda, const T* b, int ldb, T* c, int ldc) {     \
    return trmm(KATA_CALL("cublas" #S "trmm"), side, uplo, op, diag, m, n, alpha, a, lda, b, ldb,  \
                c, ldc);                                                                           \
  }                                                                                                \
  cublasStatus_t cublas##S##trsm_v2(                                                               \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,   \
      cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, int lda, T* b, int ldb) {   \
    return trsm(KATA_CALL("cublas" #S "trsm"), side, uplo, op, diag, m, n, alpha, a, lda, b, ldb); \
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
