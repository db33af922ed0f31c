// cuBLAS, level 1. Formulas and the order of arguments are BLAS's own.

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/cublas/blas.h"
#include "emulator/runtime/cublas/call.h"

using namespace kata::emulator;

namespace {

/// A result of one vector, which BLAS returns.
template <class T, class Result>
cublasStatus_t reduce(CublasCall&& call, const char* name, int n, const T* x, int incx,
                      Result* result) {
  call.reads("x", x, vector_extent(n, incx));
  if (!call.ok()) return call.finish();
  call.result(result, call_blas<T, Result>(name, &n, x, &incx));
  return call.finish();
}

template <class T>
cublasStatus_t dot(CublasCall&& call, int n, const T* x, int incx, const T* y, int incy,
                   T* result) {
  call.reads("x", x, vector_extent(n, incx));
  call.reads("y", y, vector_extent(n, incy));
  if (!call.ok()) return call.finish();
  call.result(result, call_blas<T, T>("dot", &n, x, &incx, y, &incy));
  return call.finish();
}

template <class T>
cublasStatus_t axpy(CublasCall&& call, int n, const T* alpha, const T* x, int incx, T* y,
                    int incy) {
  const T a = call.scalar("alpha", alpha);
  call.reads("x", x, vector_extent(n, incx));
  call.reads("y", y, vector_extent(n, incy));
  call.writes("y", y, vector_extent(n, incy));
  if (call.ok()) call_blas<T>("axpy", &n, &a, x, &incx, y, &incy);
  return call.finish();
}

template <class T>
cublasStatus_t scal(CublasCall&& call, int n, const T* alpha, T* x, int incx) {
  const T a = call.scalar("alpha", alpha);
  call.reads("x", x, vector_extent(n, incx));
  call.writes("x", x, vector_extent(n, incx));
  if (call.ok()) call_blas<T>("scal", &n, &a, x, &incx);
  return call.finish();
}

/// The call by its name in programs.
#define KATA_CALL(name) CublasCall(handle, name, KATA_CALLER())

}  // namespace

extern "C" {

#define KATA_LEVEL_1(S, s, T)                                                                      \
  cublasStatus_t cublasI##s##amax_v2(cublasHandle_t handle, int n, const T* x, int incx,           \
                                     int* result) {                                                \
    CublasCall call(handle, "cublasI" #s "amax", KATA_CALLER());                                   \
    call.reads("x", x, vector_extent(n, incx));                                                    \
    if (!call.ok()) return call.finish();                                                          \
    using Function = int (*)(const int*, const T*, const int*);                                    \
    call.result(result, reinterpret_cast<Function>(blas_function("i" #s "amax"))(&n, x, &incx));   \
    return call.finish();                                                                          \
  }                                                                                                \
  cublasStatus_t cublas##S##asum_v2(cublasHandle_t handle, int n, const T* x, int incx,            \
                                    T* result) {                                                   \
    return reduce(KATA_CALL("cublas" #S "asum"), "asum", n, x, incx, result);                      \
  }                                                                                                \
  cublasStatus_t cublas##S##nrm2_v2(cublasHandle_t handle, int n, const T* x, int incx,            \
                                    T* result) {                                                   \
    return reduce(KATA_CALL("cublas" #S "nrm2"), "nrm2", n, x, incx, result);                      \
  }                                                                                                \
  cublasStatus_t cublas##S##dot_v2(cublasHandle_t handle, int n, const T* x, int incx, const T* y, \
                                   int incy, T* result) {                                          \
    return dot(KATA_CALL("cublas" #S "dot"), n, x, incx, y, incy, result);                         \
  }                                                                                                \
  cublasStatus_t cublas##S##axpy_v2(cublasHandle_t handle, int n, const T* alpha, const T* x,      \
                                    int incx, T* y, int incy) {                                    \
    return axpy(KATA_CALL("cublas" #S "axpy"), n, alpha, x, incx, y, incy);                        \
  }                                                                                                \
  cublasStatus_t cublas##S##scal_v2(cublasHandle_t handle, int n, const T* alpha, T* x,            \
                                    int incx) {                                                    \
    return scal(KATA_CALL("cublas" #S "scal"), n, alpha, x, incx);                                 \
  }
KATA_LEVEL_1(S, s, float)
KATA_LEVEL_1(D, d, double)

}  // extern "C"
