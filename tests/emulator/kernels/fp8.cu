// FP8 conversions. Expected values are found by a search among all numbers of the format, whose
// values come from the definition: the nearest one, and of two the one with an even last bit.
#include <cuda_fp8.h>

#include <cmath>
#include <initializer_list>

#include "expect.cuh"

/// The value of the bits, from "OCP 8-bit Floating Point Specification"; NaN and infinity as such.
static double value_of(int bits, bool e4m3) {
  const int fraction = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15, ones = e4m3 ? 15 : 31;
  const int exponent = (bits & 0x7f) >> fraction, low = bits & ((1 << fraction) - 1);
  const double sign = bits & 0x80 ? -1 : 1;
  if (e4m3 && (bits & 0x7f) == 0x7f) return NAN;
  if (!e4m3 && exponent == ones) return low ? NAN : sign * INFINITY;
  const double unit = std::pow(2.0, (exponent ? exponent : 1) - bias - fraction);
  return sign * unit * (low + (exponent ? 1 << fraction : 0));
}

static int nearest(double x, bool e4m3, bool saturate) {
  const int most = e4m3 ? 0x7e : 0x7b, sign = std::signbit(x) ? 0x80 : 0;
  const double size = std::fabs(x), top = value_of(most, e4m3);
  const double beyond = 2 * top - value_of(most - 1, e4m3);  // what would come next
  const double middle = (top + beyond) / 2;
  const bool overflows = size > middle || (size == middle && (most & 1));
  if (overflows) return sign | (saturate ? most : e4m3 ? 0x7f : 0x7c);
  int best = 0;
  for (int bits = 1; bits <= most; ++bits) {
    const double now = std::fabs(value_of(bits, e4m3) - size);
    const double before = std::fabs(value_of(best, e4m3) - size);
    if (now < before || (now == before && bits % 2 == 0)) best = bits;
  }
  return sign | best;
}

__global__ void convert(const float* in, int n, unsigned char* out) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    out[4 * i] = __nv_cvt_float_to_fp8(in[i], __NV_SATFINITE, __NV_E4M3);
    out[4 * i + 1] = __nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E4M3);
    out[4 * i + 2] = __nv_cvt_float_to_fp8(in[i], __NV_SATFINITE, __NV_E5M2);
    out[4 * i + 3] = __nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E5M2);
  }
}

/// All numbers of both formats, the points between two of them, and these points' neighbours.
static void to_nearest() {
  constexpr int count = 4096;
  float in[count] = {};
  int n = 0;
  for (const bool e4m3 : {true, false}) {
    for (int bits = 0; bits < 0x7e; ++bits) {
      const float low = (float)value_of(bits, e4m3), high = (float)value_of(bits + 1, e4m3);
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const float middle = (low + high) / 2;
      for (const float x :
           {low, -low, middle, std::nextafter(middle, 0.0f), -std::nextafter(middle, INFINITY)})
        in[n++] = x;
    }
  }
  for (const float x : {448.0f, 463.0f, 464.0f, 465.0f, 57344.0f, 61439.0f, 61440.0f, -1e30f,
                        INFINITY, -INFINITY, 1e-30f})
    in[n++] = x;
  static Values<float, count> device;
  static Values<unsigned char, 4 * count> out;
  device.set(in);
  convert<<<1, 64>>>(device, n, out);
  out.get();
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 4; ++k) wrong += out.host[4 * i + k] != nearest(in[i], k < 2, k % 2 == 0);
  }
  EXPECT(n > 1200);
  EXPECT(wrong == 0);
}

static void back() {
  int wrong = 0;
  for (int bits = 0; bits < 256; ++bits) {
    __nv_fp8_e4m3 four;
    __nv_fp8_e5m2 five;
    four.__x = five.__x = (unsigned char)bits;
    const double a = value_of(bits, true), b = value_of(bits, false);
    wrong += std::isnan(a) ? !std::isnan(float(four)) : float(four) != a;
    wrong += std::isnan(b) ? !std::isnan(float(five)) : float(five) != b;
    wrong += std::isnan(a) ? 0 : (float)__half(four) != a;
    wrong += std::isnan(a) ? 0 : __nv_fp8_e4m3(float(four)).__x != bits;
  }
  EXPECT(wrong == 0);
}

__global__ void in_types(float* out) {
  const __nv_fp8_e4m3 three(3.2f), large(1000), small(-0.001);
  out[0] = float(three);
  out[1] = float(large);
  out[2] = float(small);
  out[3] = (float)int(__nv_fp8_e5m2(-7.9f));
  out[4] = (float)bool(__nv_fp8_e4m3(0.0f));
  const __nv_fp8x4_e4m3 four(make_float4(1, 2, 3, 4));
  const float4 numbers = float4(four);
  out[5] = numbers.x + 10 * numbers.y + 100 * numbers.z + 1000 * numbers.w;
  const __nv_fp8x2_e5m2 two(__floats2half2_rn(1.5f, -6.0f));
  const float2 pair = float2(two);
  out[6] = pair.x * 100 + pair.y;
  out[7] = two.__x;
}

/// E8M0, by a search for the powers of two around the magnitude.
static int scale_of(double x, bool saturate, bool up) {
  if (std::isnan(x)) return 0xff;
  if (std::isinf(x)) return saturate ? 0xfe : 0xff;
  int bits = 0;
  while (bits < 0xff && std::pow(2.0, bits + 1 - 127) <= std::fabs(x)) ++bits;
  const bool between = std::pow(2.0, bits - 127) < std::fabs(x);
  if (bits == 0xff) return up && !saturate ? 0xff : 0xfe;
  bits += up && between;
  return bits == 0xff && saturate ? 0xfe : bits;
}

static void scales() {
  int wrong = 0;
  for (int bits = 0; bits < 0xff; ++bits) {
    __nv_fp8_e8m0 scale;
    scale.__x = (unsigned char)bits;
    const double power = std::pow(2.0, bits - 127);
    wrong += float(scale) != power || (double)(float)__nv_bfloat16(scale) != power;
    for (const double x : {power, -power, 1.5 * power, std::nextafter(power, 0.0),
                           std::nextafter(power, (double)INFINITY)}) {
      for (const bool saturate : {false, true}) {
        for (const bool up : {false, true}) {
          const auto mode = up ? cudaRoundPosInf : cudaRoundZero;
          const auto most = saturate ? __NV_SATFINITE : __NV_NOSAT;
          wrong += __nv_cvt_double_to_e8m0(x, most, mode) != scale_of(x, saturate, up);
          wrong += __nv_cvt_float_to_e8m0((float)x, most, mode) != scale_of((float)x, saturate, up);
        }
      }
    }
  }
  EXPECT(wrong == 0);
  EXPECT(__nv_cvt_float_to_e8m0(NAN, __NV_SATFINITE, cudaRoundZero) == 0xff);
  EXPECT(__nv_cvt_float_to_e8m0(INFINITY, __NV_NOSAT, cudaRoundZero) == 0xff);
  EXPECT(__nv_cvt_double_to_e8m0(1e300, __NV_NOSAT, cudaRoundZero) == 0xfe);
  EXPECT(std::isnan(float(__nv_fp8_e8m0(NAN))) && __nv_fp8_e8m0(0.0f).__x == 0);
  EXPECT(__nv_fp8x4_e8m0(make_float4(1, 2, 3, -5)).__x == 0x8281807f);
  EXPECT(__nv_fp8_e8m0(1ull << 63).__x == 190 && __nv_fp8_e8m0((1ull << 63) + 1).__x == 191);
}

static void fixture() {
  scales();
  to_nearest();
  back();
  Values<float, 8> out;
  in_types<<<1, 1>>>(out);
  EXPECT(out.get()[0] == 3.25f && out.host[1] == 448 && out.host[2] == -0.001953125f);
  EXPECT(out.host[3] == -8 && out.host[4] == 0 && out.host[5] == 4321);
  EXPECT(out.host[6] == 144 && out.host[7] == (0xc6 << 8 | 0x3e));
  EXPECT(__nv_cvt_float_to_fp8(NAN, __NV_SATFINITE, __NV_E4M3) == 0x7f);
  EXPECT(__nv_cvt_double_to_fp8(-NAN, __NV_NOSAT, __NV_E4M3) == 0xff);
}
