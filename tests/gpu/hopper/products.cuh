#pragma once
// wgmma in every form, on matrices whose sums are exact.
#include <cuda_fp16.h>

#include "facts.cuh"
#include "wgmma_registers.cuh"

constexpr int half_bytes = 32768;  ///< of shared memory: A's half, then B's
constexpr int shared_bytes = 2 * half_bytes + 1024;

/// `a` and `b` are descriptors whose addresses count from the halves' beginnings.
struct Run {
  uint64_t a, b;
  int adds = 1;
};

template <class Form>
__global__ void multiply(Run run, const uint4* halves, const unsigned* start, unsigned* out) {
  extern __shared__ unsigned char dynamic[];
  const unsigned address = (unsigned)__cvta_generic_to_shared(dynamic);
  unsigned char* const tiles = dynamic + (1024 - address % 1024) % 1024;
  for (int i = threadIdx.x; i < 2 * half_bytes / 16; i += 128) ((uint4*)tiles)[i] = halves[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  const uint64_t base = (uint64_t)__cvta_generic_to_shared(tiles) >> 4;
  unsigned d[Form::registers];
  for (int i = 0; i < Form::registers; ++i) d[i] = start[threadIdx.x * Form::registers + i];
  uint64_t a[2] = {run.a + base, 0}, b = run.b + base + half_bytes / 16;
  if (Form::a_in_registers) {
    const unsigned* const mine = (const unsigned*)halves + 4 * threadIdx.x;
    a[0] = mine[0] | (uint64_t)mine[1] << 32, a[1] = mine[2] | (uint64_t)mine[3] << 32;
  }
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  Form::run(d, a, b, run.adds);
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < Form::registers; ++i) out[threadIdx.x * Form::registers + i] = d[i];
}

// ---- forms

enum Type { f16, bf16, tf32, s8, u8, e4m3, e5m2 };
constexpr const char* type_names[] = {"f16", "bf16", "tf32", "s8", "u8", "e4m3", "e5m2"};
enum Sum { in_f32, in_f16, in_s32 };
constexpr const char* sum_names[] = {"f32", "f16", "s32"};

#define FORM(name, macro, count, in_registers, sum_type, type_a, type_b, columns, type, tail)      \
  struct name {                                                                                   \
    static constexpr int registers = count, n = columns;                                          \
    static constexpr bool a_in_registers = in_registers;                                          \
    static constexpr Sum sum = sum_type;                                                          \
    static constexpr Type a = type_a, b = type_b;                                                 \
    static __device__ void run(unsigned (&d)[count], uint64_t (&a)[2], uint64_t& b, int& adds) {  \
      macro(count, type, d, a, b, adds, tail);                                        \
    }                                                                                             \
  };
#define F32(name, n, count, k, a, b, tail) \
  FORM(name, WGMMA_REGISTERS, count, false, in_f32, a, b, n, "m64n" #n "k" #k ".f32." #a "." #b, tail)
#define F32_A(name, n, count, k, a, b, tail) \
  FORM(name, WGMMA_REGISTERS_A, count, true, in_f32, a, b, n, "m64n" #n "k" #k ".f32." #a "." #b, tail)
#define F16(name, n, count, k, a, b, tail) \
  FORM(name, WGMMA_REGISTERS, count, false, in_f16, a, b, n, "m64n" #n "k" #k ".f16." #a "." #b, tail)
#define F16_A(name, n, count, k, a, b, tail) \
  FORM(name, WGMMA_REGISTERS_A, count, true, in_f16, a, b, n, "m64n" #n "k" #k ".f16." #a "." #b, tail)
#define S32(name, n, count, a, b, end) \
  FORM(name, WGMMA_REGISTERS, count, false, in_s32, a, b, n, "m64n" #n "k32.s32." #a "." #b end, "")
#define S32_A(name, n, count, a, b, end) \
  FORM(name, WGMMA_REGISTERS_A, count, true, in_s32, a, b, n, "m64n" #n "k32.s32." #a "." #b end, "")

// ---- matrices

int bytes_of(Type type) {
  return type == tf32 ? 4 : type == f16 || type == bf16 ? 2 : 1;
}

/// A whole number as the type's bits.
unsigned bits_of(Type type, int value) {
  const float real = value;
  unsigned bits;
  memcpy(&bits, &real, 4);
  if (type == tf32) return bits;
  if (type == bf16) return bits >> 16;
  if (type == f16) return __half_as_ushort(__float2half(real));
  if (type == s8 || type == u8) return value & 255;
  if (value == 0) return 0;
  const int mantissa_bits = type == e4m3 ? 3 : 2, bias = type == e4m3 ? 7 : 15;
  const int exponent = int(bits >> 23 & 255) - 127;
  return (value < 0 ? 128 : 0) | (exponent + bias) << mantissa_bits |
         (bits >> (23 - mantissa_bits) & ((1 << mantissa_bits) - 1));
}

/// The halves' contents: bytes of integers are any, others -4 to 4.
std::vector<unsigned char> contents(Type a, Type b) {
  std::vector<unsigned char> result(2 * half_bytes);
  for (int half = 0; half < 2; ++half) {
    const Type type = half ? b : a;
    const int each = bytes_of(type);
    for (int i = 0; i < half_bytes; i += each) {
      const unsigned any = mixed(i + half * 77777) >> 8;
      const unsigned bits =
          type == s8 || type == u8 ? any & 255 : bits_of(type, (int)(any % 9) - 4);
      memcpy(&result[half * half_bytes + i], &bits, each);
    }
  }
  return result;
}

/// D before: small whole numbers.
std::vector<unsigned> starts(Sum sum, int count) {
  std::vector<unsigned> result(128 * count);
  for (size_t i = 0; i < result.size(); ++i) {
    const int value = (int)(mixed(i) % 17) - 8;
    if (sum == in_s32) result[i] = value;
    if (sum == in_f16) result[i] = bits_of(f16, value) | bits_of(f16, value / 2) << 16;
    if (sum == in_f32) result[i] = bits_of(tf32, value);
  }
  return result;
}

/// Bytes; the mode is a descriptor's: 0 none, 1 of 128, 2 of 64, 3 of 32 bytes.
uint64_t descriptor(unsigned start, unsigned leading, unsigned stride, unsigned mode = 0,
                    unsigned base_offset = 0) {
  return start >> 4 | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
         (uint64_t)base_offset << 49 | (uint64_t)mode << 62;
}

template <class Form>
std::vector<unsigned> product(const Run& run, const std::vector<unsigned char>& halves,
                              const std::vector<unsigned>& start) {
  Device<unsigned char> tiles(halves);
  Device<unsigned> before(start), out(start.size());
  cudaFuncSetAttribute(multiply<Form>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  multiply<Form><<<1, 128, shared_bytes>>>(run, (const uint4*)(unsigned char*)tiles, before, out);
  return out.values();
}

template <class Form>
void product_fact(const char* what, const Run& run) {
  if (is_known()) return;
  const std::vector<unsigned> d =
      product<Form>(run, contents(Form::a, Form::b), starts(Form::sum, Form::registers));
  char name[300];
  snprintf(name, sizeof name, "%s.%s.%s n=%d %s%s", sum_names[Form::sum], type_names[Form::a],
           type_names[Form::b], Form::n, Form::a_in_registers ? "A in registers " : "", what);
  if (printed_error(name)) return;
  dump(name, d.data(), d.size() * 4);
}

/// K-major without a swizzle, eight rows of 16 bytes after the other.
constexpr uint64_t plain = (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;

template <class... Forms>
void plain_products() {
  (product_fact<Forms>("", {plain, plain}), ...);
}
