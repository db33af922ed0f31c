// Intrinsics and mathematics: each function at arguments whose answer one can work out.
#include <assert.h>
#include <limits.h>
#include <math_constants.h>

#include "expect.cuh"

__global__ void bits(int* out) {
  bool right = __popc(0xf0f0u) == 8 && __popcll(~0ull) == 64 && __clz(1) == 31 && __clz(0) == 32;
  right &= __clzll(1) == 63 && __clzll(0) == 64 && __ffs(0) == 0 && __ffs(8) == 4;
  right &= __ffsll(1ll << 40) == 41 && __brev(1) == 0x80000000u && __brevll(2) == 1ull << 62;
  out[0] = right;
  right = __byte_perm(0x33221100, 0x77665544, 0x7520) == 0x77552200;
  right &= __funnelshift_l(0x80000000u, 0x1, 1) == 3 && __funnelshift_r(0x0, 0x1, 1) == 0x80000000u;
  right &= __funnelshift_l(5, 6, 32) == 6 && __funnelshift_lc(5, 6, 32) == 5;
  right &= __funnelshift_r(5, 6, 32) == 5 && __funnelshift_rc(5, 6, 40) == 6;
  right &= __fns(0xb, 0, 1) == 0 && __fns(0xb, 0, 3) == 3 && __fns(0xb, 31, -1) == 3;
  right &= __fns(0xb, 0, 4) == 0xffffffffu;
  out[1] = right;
  right = __mul24(-2, 3) == -6 && __umul24(0x1000002u, 3) == 6 && __mulhi(1 << 30, 8) == 2;
  right &= __umulhi(0x80000000u, 2) == 1 && __mul64hi(1ll << 62, 8) == 2;
  right &= __umul64hi(1ull << 63, 2) == 1 && __sad(-3, 4, 1) == 8 && __usad(3, 10, 1) == 8;
  right &= __hadd(-3, 2) == -1 && __rhadd(3, 4) == 4 && __uhadd(~0u, ~0u) == ~0u;
  right &= __dp4a(0x01020304, 0x01010101, 5) == 15 && __dp4a(0x000000ff, 0x00000002, 0) == -2;
  right &= __dp4a(0x000000ffu, 0x00000002u, 0u) == 510;
  out[2] = right;
  right = __float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f;
  right &= __float_as_uint(-0.0f) == 0x80000000u && __uint_as_float(0x7f800000u) == INFINITY;
  right &= __double_as_longlong(1.0) == 0x3ff0000000000000ll && __longlong_as_double(0) == 0;
  right &= __double2hiint(1.0) == 0x3ff00000 && __double2loint(1.0) == 0;
  right &= __hiloint2double(0x3ff00000, 0) == 1.0;
  out[3] = right;
}
__global__ void conversions(int* out) {
  bool right =
      __float2int_rn(2.5f) == 2 && __float2int_rn(3.5f) == 4 && __float2int_rz(-2.7f) == -2;
  right &= __float2int_ru(2.1f) == 3 && __float2int_rd(-2.1f) == -3;
  right &= __float2int_rn(1e20f) == INT_MAX && __float2int_rn(-1e20f) == INT_MIN;
  right &= __float2int_rn(NAN) == 0 && __float2uint_rn(-1.0f) == 0 &&
           __float2uint_rz(4e9f) == 4000000000u;
  right &= __float2ll_rn(-3e18f) == -3000000131788406784ll || __float2ll_rn(-4.0f) == -4;
  right &= __double2int_rn(-1.5) == -2 && __double2ll_rz(1e300) == LLONG_MAX;
  out[0] = right;
  // 2^24 + 1 lies half way between two floats
  right = __int2float_rn(16777217) == 16777216.0f && __int2float_ru(16777217) == 16777218.0f;
  right &= __int2float_rz(-16777217) == -16777216.0f && __int2float_rd(-16777217) == -16777218.0f;
  right &= __uint2float_rz(~0u) == 4294967040.0f && __double2float_ru(1.0 + 1e-12) > 1.0f;
  right &= __double2float_rd(1.0 + 1e-12) == 1.0f && __int2double_rn(-7) == -7.0;
  out[1] = right;
}
__global__ void rounding(int* out, float one, float tiny, double done) {
  const float above = 1.0f + 1.1920929e-7f;
  bool right = __fadd_rn(one, tiny) == 1.0f && __fadd_ru(one, tiny) == above;
  right &= __fadd_rz(one, tiny) == 1.0f && __fadd_rd(-one, -tiny) == -above;
  right &= __fsub_rz(one, tiny) < 1.0f && __fmul_rn(3.0f, one) == 3.0f;
  right &= __fdiv_ru(one, 3.0f) > __fdiv_rd(one, 3.0f) && __frcp_rn(4.0f * one) == 0.25f;
  right &= __fsqrt_rn(9.0f * one) == 3.0f && __fsqrt_ru(2.0f * one) > __fsqrt_rd(2.0f * one);
  right &= __fmaf_rn(2.0f, 3.0f, one) == 7.0f && __fmaf_ru(one, one, tiny) == above;
  right &= __dadd_ru(done, 1e-30) > 1.0 && __dmul_rn(2.0, done) == 2.0 && __fma_rn(2, 3, done) == 7;
  right &= __ddiv_rn(done, 4) == 0.25 && __drcp_rn(done) == 1 && __dsqrt_rn(4 * done) == 2;
  right &= __frsqrt_rn(4.0f * one) == 0.5f;
  out[0] = right && one + tiny == 1.0f;  // the mode is back as it was
}
// The device's fast functions are right to a few units in the last place.
__device__ bool near(float got, float want) {
  return fabsf(got - want) <= 1e-5f * want;
}
__global__ void mathematics(int* out, float x) {  // x is 0
  bool right = min(3, 4u) == 3u && max(-1, 1u) == 0xffffffffu && min(2ll, 3ll) == 2;
  right &= max(1.5f, 2.5) == 2.5 && min(1.5f, 2.5f) == 1.5f && max(2ul, 3l) == 3ul;
  right &= max(NAN, 1.0f) == 1.0f && min(1.0f, NAN) == 1.0f && fmaxf(NAN, 2.0f) == 2.0f;
  right &= signbit(fminf(x, -x)) && signbit(fminf(-x, x)) && signbit(min(x, -x));
  right &= !signbit(fmaxf(x, -x)) && !signbit(fmaxf(-x, x)) && !signbit(max(-x, x));
  right &= signbit(fmin(x * 1.0, -x)) && !signbit(fmax(-x * 1.0, x));
  right &= abs(-3) == 3 && abs(-2.5f) == 2.5f && fabsf(-1.0f) == 1.0f && umin(1, 2) == 1;
  out[0] = right;
  right = rsqrtf(4.0f) == 0.5f && rsqrt(16.0) == 0.25 && __saturatef(2.0f) == 1.0f;
  right &=
      __saturatef(-1.0f) == 0.0f && __saturatef(NAN) == 0.0f && near(__fdividef(6.0f, 3.0f), 2.0f);
  right &= near(__expf(x), 1.0f) && __logf(1.0f) == 0.0f && near(__powf(2.0f, 3.0f), 8.0f);
  right &= __sinf(x) == 0.0f && near(__cosf(x), 1.0f) && near(__exp10f(2.0f), 100.0f);
  right &= near(exp10f(1.0f), 10.0f) && near(__log2f(8.0f), 3.0f) && near(__log10f(100.0f), 2.0f);
  right &= sinpif(0.5f) == 1.0f && cospif(1.0f) == -1.0f && near(normcdff(x), 0.5f);
  right &= near(norm3df(2, 3, 6), 7.0f) && near(rcbrtf(8.0f), 0.5f) && near(rhypotf(3, 4), 0.2f);
  out[1] = right;
  float s, c;
  sincosf(x, &s, &c);
  right = s == 0.0f && c == 1.0f;
  __sincosf(x, &s, &c);
  right &= s == 0.0f && c == 1.0f && isnan(x / x) && isinf(1.0f / x) && !isfinite(-1.0f / x);
  right &= signbit(-0.0f) && CUDART_INF_F > 1e38f && isnan(CUDART_NAN_F) && CUDART_PI_F > 3.14f;
  right &=
      sqrt(4.0f) == 2.0f && exp(0.0f) == 1.0f && fma(2.0, 3.0, 1.0) == 7.0 && fmaf(1, 2, 3) == 5;
  out[2] = right;
}
__global__ void cached(int* out, const float* in, const float4* in4, float2* stored) {
  const float4 v = __ldg(in4);
  float sum = __ldg(in) + __ldcs(in + 1) + __ldcg(&in[2]) + __ldca(&in[3]) + v.x + v.w;
  __stcs(&stored[0], make_float2(1, 2));
  __stcg(&stored[1].x, 3);
  __stwb(&stored[1].y, 4.0f);
  out[0] = (int)sum;
  long long before = clock64();
  __nanosleep(1);
  out[1] = clock64() >= before;
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  assert(out[0] >= 0);
}

static void fixture() {
  Values<int, 4> out;
  bits<<<1, 1>>>(out.device);
  EXPECT(out.get()[0] == 1);
  EXPECT(out.host[1] == 1);
  EXPECT(out.host[2] == 1);
  EXPECT(out.host[3] == 1);
  conversions<<<1, 1>>>(out.device);
  EXPECT(out.get()[0] == 1);
  EXPECT(out.host[1] == 1);
  rounding<<<1, 1>>>(out.device, 1.0f, 1e-10f, 1.0);
  EXPECT(out.get()[0] == 1);
  mathematics<<<1, 1>>>(out.device, 0.0f);
  EXPECT(out.get()[0] == 1);
  EXPECT(out.host[1] == 1);
  EXPECT(out.host[2] == 1);
  Values<float, 4> in;
  Values<float2, 2> stored;
  const float numbers[4] = {1, 2, 4, 8};
  in.set(numbers);
  cached<<<1, 1>>>(out.device, in.device, (const float4*)in.device, stored.device);
  EXPECT(out.get()[0] == 15 + 1 + 8 && out.host[1] == 1);
  EXPECT(stored.get()[0].x == 1 && stored.host[0].y == 2 && stored.host[1].x == 3);
}
