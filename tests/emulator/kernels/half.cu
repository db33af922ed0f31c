// half: values whose bits IEEE 754 fixes.
#include <cuda_fp16.h>

#include "expect.cuh"

__global__ void conversions(int* out) {
  bool right = __half_as_ushort(__float2half(1.0f)) == 0x3c00;
  right &= __half_as_ushort(__float2half(-2.0f)) == 0xc000;
  right &= __half_as_ushort(__float2half(65504.0f)) == 0x7bff;  // the largest
  right &= __half_as_ushort(__float2half(65519.9f)) == 0x7bff;
  right &= __half_as_ushort(__float2half(65520.0f)) == 0x7c00;            // rounds to infinity
  right &= __half_as_ushort(__float2half(6.103515625e-5f)) == 0x0400;     // the least normal one
  right &= __half_as_ushort(__float2half(5.9604645e-8f)) == 0x0001;       // the least of all
  right &= __half_as_ushort(__float2half(2.9802322e-8f)) == 0x0000;       // half of it: to even
  right &= __half_as_ushort(__float2half(1.0f + 1.0f / 2048)) == 0x3c00;  // half way, to even
  right &= __half_as_ushort(__float2half(1.0f + 3.0f / 2048)) == 0x3c02;
  right &= __half_as_ushort(__float2half(-0.0f)) == 0x8000 && __hisnan(__float2half(NAN));
  right &= __half2float(__ushort_as_half(0x0001)) == 5.9604645e-8f;
  right &= __half2float(__ushort_as_half(0xfc00)) == -INFINITY;
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {  // there and back is the identity
    const float value = __half2float(__ushort_as_half((unsigned short)bits));
    right &= __half_as_ushort(__float2half(value)) == bits;
  }
  out[0] = right;
}
__global__ void arithmetic(int* out, half* h, half2* h2) {
  const half a = __float2half(1.5f), b = __float2half(2.0f);
  bool right = __half2float(a * b) == 3.0f && __half2float(__hadd(a, b)) == 3.5f;
  right &= (float)(a - b) == -0.5f && (float)(a / b) == 0.75f && (float)-a == -1.5f;
  right &= a < b && __hlt(a, b) && !(a == b) && __hge(b, a) && (float)__hmax(a, b) == 2.0f;
  right &= (float)__hfma(a, b, a) == 4.5f && (float)hsqrt(__float2half(9.0f)) == 3.0f;
  half c = a;
  c += b;
  c *= b;
  right &= __half2float(c) == 7.0f && __half2int_rn(c) == 7 && (int)c == 7;
  out[0] = right;
  const half2 p = __halves2half2(a, b), q = __float2half2_rn(2.0f);
  const half2 sum = __hadd2(p, q), product = p * q, fused = __hfma2(p, q, p);
  right = __low2float(sum) == 3.5f && __high2float(sum) == 4.0f && (float)product.y == 4.0f;
  right &= __low2float(fused) == 4.5f && __half22float2(q).y == 2.0f;
  h2[threadIdx.x] = h2[threadIdx.x + 32];
  h[128 + threadIdx.x] = __shfl_xor_sync(0xffffffff, __float2half((float)threadIdx.x), 1);
  const half2 moved = __shfl_sync(0xffffffff, __floats2half2_rn(threadIdx.x, 7.0f), 3);
  right &= __low2float(moved) == 3.0f && __high2float(moved) == 7.0f;
  out[1] = right;
}

static void fixture() {
  Values<int, 2> out;
  conversions<<<1, 1>>>(out.device);
  EXPECT(out.get()[0] == 1);
  Values<half, 160> h;
  arithmetic<<<1, 32>>>(out.device, h.device, (half2*)h.device);
  EXPECT(out.get()[0] == 1);
  EXPECT(out.host[1] == 1);
  EXPECT(__half2float(h.get()[128]) == 1.0f && __half2float(h.host[159]) == 30.0f);
}
