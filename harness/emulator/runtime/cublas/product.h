#pragma once
// C = alpha op(A) op(B) + beta C, once or for many matrices.

#include "emulator/runtime/cublas/blas.h"
#include "emulator/runtime/cublas/call.h"

namespace kata::emulator {

struct Product {
  cublasOperation_t op_a, op_b;
  int m, n, k, lda, ldb, ldc;

  bool plain_a() const { return op_a == CUBLAS_OP_N; }
  bool plain_b() const { return op_b == CUBLAS_OP_N; }
  Extent a() const { return plain_a() ? Extent{m, k, lda} : Extent{k, m, lda}; }
  Extent b() const { return plain_b() ? Extent{k, n, ldb} : Extent{n, k, ldb}; }
  Extent c() const { return {m, n, ldc}; }

  void check_sizes(CublasCall& call) const {
    call.require(m >= 0 && n >= 0 && k >= 0, "a size is negative");
    call.require_leading("a", lda, plain_a() ? m : k);
    call.require_leading("b", ldb, plain_b() ? k : n);
    call.require_leading("c", ldc, m);
  }
};

template <class T>
void multiply(const Product& p, T alpha, const T* a, const T* b, T beta, T* c) {
  if (p.m == 0 || p.n == 0) return;
  call_blas<T>("gemm", p.plain_a() ? "N" : "T", p.plain_b() ? "N" : "T", &p.m, &p.n, &p.k, &alpha,
               a, &p.lda, b, &p.ldb, &beta, c, &p.ldc, std::size_t{1}, std::size_t{1});
}

template <class T>
void check_product(CublasCall& call, const Product& p, const T* a, const T* b, bool reads_c, T* c) {
  if (p.k > 0) {
    call.reads("A", a, p.a());
    call.reads("B", b, p.b());
  }
  if (reads_c) call.reads("C", c, p.c());
  call.writes("C", c, p.c());
}

/// Of `count` matrices, so far apart; 0: the same one each time.
template <class T>
cublasStatus_t products(CublasCall&& call, const Product& p, const T* alpha, const T* a,
                        long long stride_a, const T* b, long long stride_b, const T* beta, T* c,
                        long long stride_c, int count) {
  const T scale = call.scalar("alpha", alpha), keep = call.scalar("beta", beta);
  p.check_sizes(call);
  for (int i = 0; i < count && call.ok(); ++i) {
    check_product(call, p, a + i * stride_a, b + i * stride_b, keep != T{}, c + i * stride_c);
    if (call.ok()) multiply(p, scale, a + i * stride_a, b + i * stride_b, keep, c + i * stride_c);
  }
  return call.finish();
}

/// Of `count` matrices, whose addresses lie in device memory.
template <class T>
cublasStatus_t batch(CublasCall&& call, const Product& p, const T* alpha, const T* const a[],
                     const T* const b[], const T* beta, T* const c[], int count) {
  const T scale = call.scalar("alpha", alpha), keep = call.scalar("beta", beta);
  p.check_sizes(call);
  call.reads("the addresses of A", a, {count, 1, count});
  call.reads("the addresses of B", b, {count, 1, count});
  call.reads("the addresses of C", c, {count, 1, count});
  for (int i = 0; i < count && call.ok(); ++i) {
    check_product(call, p, a[i], b[i], keep != T{}, c[i]);
    if (call.ok()) multiply(p, scale, a[i], b[i], keep, c[i]);
  }
  return call.finish();
}

}  // namespace kata::emulator
