// GELU as x / (1 + 2^(-x R(x^2))): a polynomial, one ex2 and one rcp in place of erff.
//
// The normal distribution function is close to a logistic function of x, and R makes it exact to
// 1e-7: a polynomial of degree 6, fitted so that the largest error of x Phi(x) is smallest. That
// is 10 times less than the rounding of 1 + erf costs in float. No branch, no select, and the sign
// of x needs no care: for large -x the denominator is infinite and the result 0.
//
// Prediction: 14 instructions per element in place of 35, two of them on the special function units,
// which need 8 clocks for a warp: 4100 clocks per tile in place of 9000, 10 us for the four tiles of
// an SM: 0.19 ms at 4096 cubed.
// Measured: not yet
#include <kata/kata.h>

#include "../common/cluster_gemm.h"
#include "store_gelu.h"

__device__ inline float logistic_gelu(float x) {
  const float u = x * x;
  float r = 5.209914278e-09f;
  r = fmaf(r, u, -3.850452401e-07f);
  r = fmaf(r, u, 1.145243368e-05f);
  r = fmaf(r, u, -1.593894413e-04f);
  r = fmaf(r, u, -9.559284808e-05f);
  r = fmaf(r, u, 1.048385799e-01f);
  r = fmaf(r, u, 2.302207232f);
  float power, reciprocal;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(-x * r));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(1.0f + power));
  return x * reciprocal;
}

extern "C" void gemm_bias_gelu(const __nv_bfloat16* A, const __nv_bfloat16* B,
                               const __nv_bfloat16* bias, __nv_bfloat16* C, int M, int N, int K) {
  cluster_gemm(A, B, C, M, N, K, StoreGelu<logistic_gelu>{bias, C, M, N});
}
