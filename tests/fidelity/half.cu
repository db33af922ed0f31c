// What each function of cuda_fp16.h and cuda_bf16.h returns for 10,000 operands, bit for bit, written
// to one file. half_test.cpp compares the emulator's file with what an H200 (driver 580.159, CUDA
// 13.0) wrote on 2026-11-23:
//
//   nvcc -arch=sm_90 -o half tests/fidelity/half.cu
//   ./half h200_half.bin && tar cJf tests/fidelity/h200_half.tar.xz h200_half.bin
//
// The file: for each function a line with the type, the bytes of one result and the name; then the
// first 16 bits of all results, the second 16 bits of all results, and so on. Results that two
// functions share are then equal runs of bytes, which xz stores once.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

using ulonglong = unsigned long long;
using longlong = long long;

constexpr int operands = 10000;

__host__ __device__ unsigned mixed(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

template <typename T>
__device__ T from_bits(unsigned bits);
template <>
__device__ __half from_bits<__half>(unsigned bits) {
  return __ushort_as_half((unsigned short)bits);
}
template <>
__device__ __nv_bfloat16 from_bits<__nv_bfloat16>(unsigned bits) {
  return __ushort_as_bfloat16((unsigned short)bits);
}

/// Zeros, subnormals, 1 and its neighbours, the largest, infinity, NaN; each with both signs.
template <typename T>
__device__ unsigned special(unsigned i) {
  const unsigned infinity = std::is_same<T, __half>::value ? 0x7c00 : 0x7f80;
  const unsigned one = std::is_same<T, __half>::value ? 0x3c00 : 0x3f80;
  const unsigned smallest = std::is_same<T, __half>::value ? 0x0400 : 0x0080;
  const unsigned values[16] = {0,       1,        2,       smallest - 1, smallest, smallest + 1,
                               one - 1, one,      one + 1, one / 2,      one + 16, infinity - 2,
                               infinity - 1, infinity, infinity + 1, 0x7fff};
  return values[i % 16] | (i / 16 % 2) << 15;
}

/// Operand `which` of number i: all pairs of special values, then any bits; a third of these are
/// near the first operand, so that sums cancel.
template <typename T>
__device__ T operand(int i, int which) {
  if (i < 1024) return from_bits<T>(special<T>(which == 0 ? i : which == 1 ? i / 32 : mixed(i)));
  const unsigned bits = mixed(i * 3 + which);
  if (which > 0 && i % 3 == 0) return from_bits<T>((mixed(i * 3) ^ 0x8000) + bits % 64 - 32);
  return from_bits<T>(bits);
}

/// Any bits, numbers of the size of a half, and numbers halfway between two.
__device__ float float_operand(int i) {
  const unsigned bits = mixed(i);
  if (i % 4 == 0) return __uint_as_float(bits);
  const unsigned exponent = 127 - 27 + mixed(i + operands) % 46;
  const unsigned tie = i % 4 == 1 ? 0xffffe000u : i % 4 == 2 ? 0xfffff000u : 0xffff8000u;
  return __uint_as_float((bits & 0x807fffffu & (i % 8 < 4 ? tie : ~0u)) | exponent << 23);
}
__device__ double double_operand(int i) {
  const float coarse = float_operand(i);
  return i % 2 ? coarse : coarse * (1.0 + (int)(mixed(i) % 3 - 1) * 1e-12);
}
/// Of every size.
template <typename T>
__device__ T integer_operand(int i) {
  const ulonglong bits = (ulonglong)mixed(i) << 32 | mixed(i + operands);
  return (T)((longlong)bits >> mixed(i + 2 * operands) % 64);
}

__device__ ulonglong bits(bool value) { return value; }
__device__ ulonglong bits(int value) { return (unsigned)value; }
__device__ ulonglong bits(unsigned value) { return value; }
__device__ ulonglong bits(short value) { return (unsigned short)value; }
__device__ ulonglong bits(unsigned short value) { return value; }
__device__ ulonglong bits(signed char value) { return (unsigned char)value; }
__device__ ulonglong bits(unsigned char value) { return value; }
__device__ ulonglong bits(longlong value) { return value; }
__device__ ulonglong bits(ulonglong value) { return value; }
__device__ ulonglong bits(float value) { return __float_as_uint(value); }
__device__ ulonglong bits(float2 value) {
  return (ulonglong)__float_as_uint(value.y) << 32 | __float_as_uint(value.x);
}
__device__ ulonglong bits(__half value) { return __half_as_ushort(value); }
__device__ ulonglong bits(__nv_bfloat16 value) { return __bfloat16_as_ushort(value); }
__device__ ulonglong bits(__half2 value) { return bits(value.y) << 16 | bits(value.x); }
__device__ ulonglong bits(__nv_bfloat162 value) { return bits(value.y) << 16 | bits(value.x); }

// X(bytes of the result, name in the file, expression). a, b, c: operands; a2, b2, c2: pairs of them,
// whose second halves are the operands of the next number.
#define BOTH(X, scalar, arguments, pairs)              \
  X(2, "__h" #scalar, __h##scalar arguments)           \
  X(4, "__h" #scalar "2", __h##scalar##2 pairs)
#define COMPARE(X, name)                               \
  X(1, "__h" #name, __h##name(a, b))                   \
  X(1, "__h" #name "u", __h##name##u(a, b))            \
  X(4, "__h" #name "2", __h##name##2(a2, b2))          \
  X(4, "__h" #name "u2", __h##name##u2(a2, b2))        \
  X(4, "__h" #name "2_mask", __h##name##2_mask(a2, b2))   \
  X(4, "__h" #name "u2_mask", __h##name##u2_mask(a2, b2)) \
  X(1, "__hb" #name "2", __hb##name##2(a2, b2))        \
  X(1, "__hb" #name "u2", __hb##name##u2(a2, b2))
#define FUNCTION(X, name)                              \
  X(2, "h" #name, h##name(a))                          \
  X(4, "h2" #name, h2##name(a2))

#define ARITHMETIC(X)                                  \
  BOTH(X, add, (a, b), (a2, b2))                       \
  BOTH(X, sub, (a, b), (a2, b2))                       \
  BOTH(X, mul, (a, b), (a2, b2))                       \
  X(2, "__hadd_rn", __hadd_rn(a, b))                   \
  X(2, "__hsub_rn", __hsub_rn(a, b))                   \
  X(2, "__hmul_rn", __hmul_rn(a, b))                   \
  X(4, "__hadd2_rn", __hadd2_rn(a2, b2))               \
  X(4, "__hsub2_rn", __hsub2_rn(a2, b2))               \
  X(4, "__hmul2_rn", __hmul2_rn(a2, b2))               \
  X(2, "__hadd_sat", __hadd_sat(a, b))                 \
  X(2, "__hsub_sat", __hsub_sat(a, b))                 \
  X(2, "__hmul_sat", __hmul_sat(a, b))                 \
  X(4, "__hadd2_sat", __hadd2_sat(a2, b2))             \
  X(4, "__hsub2_sat", __hsub2_sat(a2, b2))             \
  X(4, "__hmul2_sat", __hmul2_sat(a2, b2))             \
  X(2, "__hdiv", __hdiv(a, b))                         \
  X(4, "__h2div", __h2div(a2, b2))                     \
  BOTH(X, fma, (a, b, c), (a2, b2, c2))                \
  X(2, "__hfma_sat", __hfma_sat(a, b, c))              \
  X(4, "__hfma2_sat", __hfma2_sat(a2, b2, c2))         \
  X(2, "__hfma_relu", __hfma_relu(a, b, c))            \
  X(4, "__hfma2_relu", __hfma2_relu(a2, b2, c2))       \
  X(4, "__hcmadd", __hcmadd(a2, b2, c2))               \
  BOTH(X, neg, (a), (a2))                              \
  BOTH(X, abs, (a), (a2))                              \
  BOTH(X, max, (a, b), (a2, b2))                       \
  BOTH(X, min, (a, b), (a2, b2))                       \
  X(2, "__hmax_nan", __hmax_nan(a, b))                 \
  X(2, "__hmin_nan", __hmin_nan(a, b))                 \
  X(4, "__hmax2_nan", __hmax2_nan(a2, b2))             \
  X(4, "__hmin2_nan", __hmin2_nan(a2, b2))             \
  X(1, "__hisnan", __hisnan(a))                        \
  X(4, "__hisnan2", __hisnan2(a2))                     \
  X(1, "__hisinf", __hisinf(a))                        \
  X(2, "a + b", a + b)                                 \
  X(2, "a - b", a - b)                                 \
  X(2, "a * b", a * b)                                 \
  X(2, "a / b", a / b)                                 \
  X(2, "-a", -a)                                       \
  X(1, "a < b", a < b)                                 \
  X(1, "a >= b", a >= b)                               \
  X(1, "a == b", a == b)                               \
  X(1, "a != b", a != b)                               \
  X(4, "a2 + b2", a2 + b2)                             \
  X(4, "a2 * b2", a2 * b2)                             \
  X(4, "a2 / b2", a2 / b2)                             \
  X(1, "a2 < b2", a2 < b2)                             \
  X(1, "a2 == b2", a2 == b2)                           \
  X(1, "a2 != b2", a2 != b2)                           \
  COMPARE(X, eq)                                       \
  COMPARE(X, ne)                                       \
  COMPARE(X, lt)                                       \
  COMPARE(X, le)                                       \
  COMPARE(X, gt)                                       \
  COMPARE(X, ge)                                       \
  FUNCTION(X, ceil)                                    \
  FUNCTION(X, floor)                                   \
  FUNCTION(X, rint)                                    \
  FUNCTION(X, trunc)                                   \
  FUNCTION(X, sqrt)                                    \
  FUNCTION(X, rsqrt)                                   \
  FUNCTION(X, rcp)                                     \
  FUNCTION(X, exp)                                     \
  FUNCTION(X, exp2)                                    \
  FUNCTION(X, exp10)                                   \
  FUNCTION(X, log)                                     \
  FUNCTION(X, log2)                                    \
  FUNCTION(X, log10)                                   \
  FUNCTION(X, sin)                                     \
  FUNCTION(X, cos)                                     \
  FUNCTION(X, tanh)                                    \
  X(4, "__low2float", __low2float(a2))                 \
  X(4, "__high2float", __high2float(a2))               \
  X(4, "__lowhigh2highlow", __lowhigh2highlow(a2))

// Conversions: the same for both types but for the type's name in them.
#define TO_INTEGER(X, half, word, bytes)                             \
  X(bytes, "__" #half "2" #word "_rn", __##half##2##word##_rn(a))    \
  X(bytes, "__" #half "2" #word "_rz", __##half##2##word##_rz(a))    \
  X(bytes, "__" #half "2" #word "_rd", __##half##2##word##_rd(a))    \
  X(bytes, "__" #half "2" #word "_ru", __##half##2##word##_ru(a))
#define FROM_INTEGER(X, half, word, operand_i)                       \
  X(2, "__" #word "2" #half "_rn", __##word##2##half##_rn(operand_i)) \
  X(2, "__" #word "2" #half "_rz", __##word##2##half##_rz(operand_i)) \
  X(2, "__" #word "2" #half "_rd", __##word##2##half##_rd(operand_i)) \
  X(2, "__" #word "2" #half "_ru", __##word##2##half##_ru(operand_i))
#define CONVERSIONS(X, half)                                         \
  X(4, "__" #half "2float", __##half##2float(a))                     \
  X(2, "__float2" #half, __float2##half(f))                          \
  X(2, "__float2" #half "_rn", __float2##half##_rn(f))               \
  X(2, "__float2" #half "_rz", __float2##half##_rz(f))               \
  X(2, "__float2" #half "_rd", __float2##half##_rd(f))               \
  X(2, "__float2" #half "_ru", __float2##half##_ru(f))               \
  X(2, "__double2" #half, __double2##half(d))                        \
  X(1, "__" #half "2char_rz", __##half##2char_rz(a))                 \
  X(1, "__" #half "2uchar_rz", __##half##2uchar_rz(a))               \
  TO_INTEGER(X, half, int, 4)                                        \
  TO_INTEGER(X, half, uint, 4)                                       \
  TO_INTEGER(X, half, short, 2)                                      \
  TO_INTEGER(X, half, ushort, 2)                                     \
  TO_INTEGER(X, half, ll, 8)                                         \
  TO_INTEGER(X, half, ull, 8)                                        \
  FROM_INTEGER(X, half, int, integer_operand<int>(i))                \
  FROM_INTEGER(X, half, uint, integer_operand<unsigned>(i))          \
  FROM_INTEGER(X, half, short, integer_operand<short>(i))            \
  FROM_INTEGER(X, half, ushort, integer_operand<unsigned short>(i))  \
  FROM_INTEGER(X, half, ll, integer_operand<longlong>(i))            \
  FROM_INTEGER(X, half, ull, integer_operand<ulonglong>(i))          \
  X(2, "constructor of float", T(f))                                 \
  X(2, "constructor of double", T(d))                                \
  X(2, "constructor of int", T(integer_operand<int>(i)))             \
  X(2, "constructor of long long", T(integer_operand<longlong>(i)))

#define HALF(X)                                                      \
  ARITHMETIC(X)                                                      \
  CONVERSIONS(X, half)                                               \
  X(4, "__float2half2_rn", __float2half2_rn(f))                      \
  X(4, "__floats2half2_rn", __floats2half2_rn(f, -f))                \
  X(4, "__float22half2_rn", __float22half2_rn(make_float2(f, -f)))   \
  X(8, "__half22float2", __half22float2(a2))                         \
  X(2, "__low2half", __low2half(a2))                                 \
  X(2, "__high2half", __high2half(a2))                               \
  X(4, "__low2half2", __low2half2(a2))                               \
  X(4, "__high2half2", __high2half2(a2))                             \
  X(4, "__lows2half2", __lows2half2(a2, b2))                         \
  X(4, "__highs2half2", __highs2half2(a2, b2))                       \
  X(4, "__halves2half2", __halves2half2(a, b))                       \
  X(4, "__half2half2", __half2half2(a))
#define BFLOAT16(X)                                                        \
  ARITHMETIC(X)                                                            \
  CONVERSIONS(X, bfloat16)                                                 \
  X(4, "__float2bfloat162_rn", __float2bfloat162_rn(f))                    \
  X(4, "__floats2bfloat162_rn", __floats2bfloat162_rn(f, -f))              \
  X(4, "__float22bfloat162_rn", __float22bfloat162_rn(make_float2(f, -f))) \
  X(8, "__bfloat1622float2", __bfloat1622float2(a2))                       \
  X(2, "__low2bfloat16", __low2bfloat16(a2))                               \
  X(2, "__high2bfloat16", __high2bfloat16(a2))                             \
  X(4, "__low2bfloat162", __low2bfloat162(a2))                             \
  X(4, "__high2bfloat162", __high2bfloat162(a2))                           \
  X(4, "__lows2bfloat162", __lows2bfloat162(a2, b2))                       \
  X(4, "__highs2bfloat162", __highs2bfloat162(a2, b2))                     \
  X(4, "__halves2bfloat162", __halves2bfloat162(a, b))                     \
  X(4, "__bfloat162bfloat162", __bfloat162bfloat162(a))

struct Function {
  int bytes;
  const char* name;
};
#define AS_FUNCTION(bytes, name, expression) {bytes, name},
const std::vector<Function> half_functions = {HALF(AS_FUNCTION)};
const std::vector<Function> bfloat16_functions = {BFLOAT16(AS_FUNCTION)};

#define AS_CASE(bytes, name, expression) \
  case __COUNTER__ - first:              \
    result = bits(expression);           \
    break;
#define KERNEL(kernel, Type, Pair, FUNCTIONS)                                             \
  __global__ void kernel(ulonglong* results, int function) {                              \
    using T = Type;                                                                       \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                  \
    if (i >= operands) return;                                                            \
    const T a = operand<T>(i, 0), b = operand<T>(i, 1), c = operand<T>(i, 2);             \
    const int next = (i + 1) % operands;                                                  \
    const Pair a2(a, operand<T>(next, 0)), b2(b, operand<T>(next, 1)), c2(c, operand<T>(next, 2)); \
    const float f = float_operand(i);                                                     \
    const double d = double_operand(i);                                                   \
    ulonglong result = 0;                                                                 \
    constexpr int first = __COUNTER__ + 1;                                                \
    switch (function) { FUNCTIONS(AS_CASE) }                                              \
    results[i] = result;                                                                  \
  }
KERNEL(half_kernel, __half, __half2, HALF)
KERNEL(bfloat16_kernel, __nv_bfloat16, __nv_bfloat162, BFLOAT16)

void write(FILE* file, const char* type, const std::vector<Function>& functions,
           void (*kernel)(ulonglong*, int)) {
  ulonglong* device;
  cudaMalloc(&device, operands * sizeof *device);
  std::vector<ulonglong> results(operands);
  for (int function = 0; function < (int)functions.size(); ++function) {
    kernel<<<(operands + 127) / 128, 128>>>(device, function);
    cudaMemcpy(results.data(), device, operands * sizeof *device, cudaMemcpyDeviceToHost);
    fprintf(file, "%s %d %s\n", type, functions[function].bytes, functions[function].name);
    for (int plane = 0; plane < (functions[function].bytes + 1) / 2; ++plane) {
      std::vector<unsigned short> words(operands);
      for (int i = 0; i < operands; ++i) words[i] = (unsigned short)(results[i] >> 16 * plane);
      fwrite(words.data(), sizeof words[0], words.size(), file);
    }
  }
  cudaFree(device);
}

int main(int argc, char** argv) {
  FILE* file = argc > 1 ? fopen(argv[1], "wb") : nullptr;
  if (!file) return printf("half FILE: where to write\n"), 2;
  write(file, "half", half_functions, half_kernel);
  write(file, "bfloat16", bfloat16_functions, bfloat16_kernel);
  fclose(file);
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%zu functions: %s\n", half_functions.size() + bfloat16_functions.size(),
         cudaGetErrorString(error));
  return error != cudaSuccess;
}
