#pragma once
// Rounding to the 16-bit types, in each of the four directions, from a number of any type.
#pragma GCC system_header

// What a device does in one instruction takes many here, with branches. Instrumented kernels call
// it but for the commonest case: in place, with a hook at each branch, it took up to four fifths of
// a compiler's time. One branch stays in place: a compiler moves calls without side effects, and
// loads with them, which changes counters and lines.
#ifdef __SANITIZE_THREAD__
#define __KATA_CALLED __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage))
#else
#define __KATA_CALLED
#endif

namespace __kata {

enum Direction { to_nearest_even, towards_zero, downwards, upwards };

/// A type of 16 bits: `fraction` bits of it, and the exponent of its least normal number.
template <int fraction, int least_exponent>
struct Float16 {
  static constexpr unsigned infinity = 0x7fffu >> fraction << fraction;
  static constexpr unsigned nan = 0x7fff;  // what the device's instructions give

  /// The bits of `magnitude` * 2^`exponent`, rounded once.
  static unsigned short rounded(bool negative, unsigned long long magnitude, int exponent,
                                Direction direction) {
    const unsigned sign = negative ? 0x8000u : 0u;
    if (magnitude == 0) return (unsigned short)sign;
    const int leading = 63 - __builtin_clzll(magnitude) + exponent;
    const int scale = leading > least_exponent ? leading : least_exponent;
    const int dropped = scale - fraction - exponent;  // bits of `magnitude` that do not fit
    unsigned long long kept = 0, rest = 1, half = 2;  // all of it is dropped, and is less than half
    if (dropped <= 0) {
      kept = magnitude << -dropped;
      rest = 0;
    } else if (dropped <= 63) {
      kept = magnitude >> dropped;
      half = 1ull << (dropped - 1);
      rest = magnitude & (2 * half - 1);
    } else if (dropped == 64) {
      half = 1ull << 63;
      rest = magnitude;
    }
    const bool up = direction == to_nearest_even
                        ? rest > half || (rest == half && (kept & 1))
                        : rest != 0 && direction == (negative ? downwards : upwards);
    const unsigned long long bits =
        ((unsigned long long)(scale - least_exponent) << fraction) + kept + up;
    if (bits < infinity) return (unsigned short)(sign | (unsigned)bits);
    const bool stays_finite =
        direction == towards_zero || direction == (negative ? upwards : downwards);
    return (unsigned short)(sign | (infinity - stays_finite));
  }

  __KATA_CALLED static unsigned short of(double value, Direction direction) {
    const unsigned long long bits = (unsigned long long)__double_as_longlong(value);
    const bool negative = bits >> 63;
    const int exponent = (int)(bits >> 52 & 0x7ff);
    const unsigned long long fraction_bits = bits & 0xfffffffffffffull;
    const unsigned sign = negative ? 0x8000u : 0u;
    if (exponent == 0x7ff && fraction_bits) {  // a NaN: its upper bits stay
      return (unsigned short)(sign | infinity | 1u << (fraction - 1) |
                              fraction_bits >> (52 - fraction));
    }
    if (exponent == 0x7ff) return (unsigned short)(sign | infinity);
    if (exponent == 0) return rounded(negative, fraction_bits, -1074, direction);
    return rounded(negative, fraction_bits | 1ull << 52, exponent - 1075, direction);
  }
  static unsigned short of(float value, Direction direction) {
    return isnan(value) ? (unsigned short)nan : of((double)value, direction);
  }
  static unsigned short of(long long value, Direction direction) {
    const unsigned long long bits = (unsigned long long)value;
    return rounded(value < 0, value < 0 ? 0 - bits : bits, 0, direction);
  }
  static unsigned short of(unsigned long long value, Direction direction) {
    return rounded(false, value, 0, direction);
  }
};

typedef Float16<10, -14> F16;
typedef Float16<7, -126> Bf16;

/// What an instruction gives whose exact result is near `value`: one rounding, and one kind of NaN.
template <typename T, typename Format>
static inline T result_of(double value) {
  T result;
  result.__x = (unsigned short)(isnan(value) ? Format::nan : Format::of(value, to_nearest_even));
  return result;
}

/// `sum`, from which `lost` is missing.
__KATA_CALLED static inline double to_odd(double sum, double lost) {
  const long long bits = __double_as_longlong(sum);
  if (isinf(sum) || (bits & 1)) return sum;
  return __longlong_as_double(bits + ((lost > 0) == (sum > 0) ? 1 : -1));
}

/// a * b + c, rounded to double by setting the last bit where anything is lost ("to odd"): a later
/// rounding to 16 bits then gives what one rounding would. The product of two 16-bit numbers is
/// exact in double. (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008.)
static inline double fma_to_odd(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  const double part = sum - product;
  const double lost = (product - (sum - part)) + (c - part);
  if (!(lost != 0)) return sum;  // a NaN has lost nothing
  return to_odd(sum, lost);
}

template <typename Integer>
__KATA_CALLED static inline Integer integer_from_number(float value, Direction direction) {
  const bool is_signed = (Integer)-1 < (Integer)0;
  const int bits = 8 * (int)sizeof(Integer);
  const float whole = direction == to_nearest_even ? rintf(value)
                      : direction == towards_zero  ? truncf(value)
                      : direction == downwards     ? floorf(value)
                                                   : ceilf(value);
  const float end = __uint_as_float((unsigned)(127 + bits - (is_signed ? 1 : 0)) << 23);  // 2^bits
  const Integer most = (Integer)(~0ull >> (64 - bits + (is_signed ? 1 : 0)));
  if (whole >= end) return most;
  if (whole < (is_signed ? -end : 0.0f)) return is_signed ? (Integer)(-most - 1) : (Integer)0;
  return (Integer)whole;
}

/// To an integer, saturating; NaN gives 0, and of 64 bits the sign bit alone.
template <typename Integer>
static inline Integer integer_from(float value, Direction direction) {
  if (isnan(value)) return sizeof(Integer) == 8 ? (Integer)(1ull << 63) : (Integer)0;
  return integer_from_number<Integer>(value, direction);
}

}  // namespace __kata
