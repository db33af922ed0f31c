// bfloat16: values whose bits follow from the format, and what it shares with half.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "expect.cuh"

__global__ void conversions(int* out) {
  bool right = __bfloat16_as_ushort(__float2bfloat16(1.0f)) == 0x3f80;
  right &= __bfloat16_as_ushort(__float2bfloat16(-2.0f)) == 0xc000;
  right &= __bfloat16_as_ushort(__float2bfloat16(1.0f + 1.0f / 256)) == 0x3f80;  // half way: even
  right &= __bfloat16_as_ushort(__float2bfloat16(1.0f + 3.0f / 256)) == 0x3f82;
  right &= __bfloat16_as_ushort(__float2bfloat16(3.4e38f)) == 0x7f80;  // rounds to infinity
  right &= __bfloat16_as_ushort(__float2bfloat16(-0.0f)) == 0x8000;
  right &= __hisnan(__float2bfloat16(NAN));
  for (unsigned bits = 0; bits <= 0x7f80; ++bits) {  // there and back is the identity
    const float value = __bfloat162float(__ushort_as_bfloat16((unsigned short)bits));
    right &= __bfloat16_as_ushort(__float2bfloat16(value)) == bits;
  }
  out[0] = right;
}

__global__ void arithmetic(int* out, __nv_bfloat162* pairs) {
  const __nv_bfloat16 a = __float2bfloat16(1.5f), b = __float2bfloat16(2.0f);
  bool right = __bfloat162float(a * b) == 3.0f && (float)__hadd(a, b) == 3.5f;
  right &= (float)(a - b) == -0.5f && (float)(a / b) == 0.75f && (float)-a == -1.5f;
  right &= a < b && __hge(b, a) && (float)__hmax(a, b) == 2.0f && (float)__hfma(a, b, a) == 4.5f;
  right &= (float)hsqrt(__float2bfloat16(9.0f)) == 3.0f && (float)hexp(__float2bfloat16(0)) == 1;
  __nv_bfloat16 c = a;
  c += b;
  right &= (float)c == 3.5f;
  const __nv_bfloat162 p = __halves2bfloat162(a, b), q = __float2bfloat162_rn(2.0f);
  const __nv_bfloat162 fused = __hfma2(p, q, p);
  right &= __low2float(fused) == 4.5f && __high2float(fused) == 6.0f;
  right &= __bfloat1622float2(p + q).y == 4.0f;
  const __nv_bfloat16 moved = __shfl_xor_sync(0xffffffff, __float2bfloat16((float)threadIdx.x), 1);
  right &= (float)moved == (float)(threadIdx.x ^ 1);
  pairs[threadIdx.x] = pairs[threadIdx.x + 32];
  out[threadIdx.x] = right;
}

__global__ void additions(half* h, half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2) {
  atomicAdd(h, __float2half(0.5f));
  atomicAdd(h2, __floats2half2_rn(1.0f, 2.0f));
  atomicAdd(b, __float2bfloat16(2.0f));
  atomicAdd(b2, __floats2bfloat162_rn(1.0f, -1.0f));
}

static void fixture() {
  Values<int, 32> out;
  conversions<<<1, 1>>>(out.device);
  EXPECT(out.get()[0] == 1);
  Values<__nv_bfloat162, 64> pairs;
  arithmetic<<<1, 32>>>(out.device, pairs.device);
  int right = 0;
  for (int i = 0; i < 32; ++i) right += out.get()[i];
  EXPECT(right == 32);
  Values<half, 2> h;
  Values<half2, 1> h2;
  Values<__nv_bfloat16, 2> b;
  Values<__nv_bfloat162, 1> b2;
  additions<<<2, 32>>>(h.device, h2.device, b.device, b2.device);
  EXPECT(__half2float(h.get()[0]) == 32.0f && __half2float(h.host[1]) == 0.0f);
  EXPECT(__low2float(h2.get()[0]) == 64.0f && __high2float(h2.host[0]) == 128.0f);
  EXPECT(__bfloat162float(b.get()[0]) == 128.0f);
  EXPECT(__low2float(b2.get()[0]) == 64.0f && __high2float(b2.host[0]) == -64.0f);
}
