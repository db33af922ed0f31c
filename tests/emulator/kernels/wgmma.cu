// wgmma: D of each thread against a product of the host, for each type, both operand sources, both
// majors and the four swizzles. The values are small whole numbers, so that every sum is exact.
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "../../gpu/wgmma_forms.cuh"
#include "expect.cuh"

enum class Type { f16, bf16, tf32, s8, u8, e4m3, e5m2 };

static int bytes_of(Type type) {
  return type == Type::tf32 ? 4 : type == Type::f16 || type == Type::bf16 ? 2 : 1;
}

/// A whole number from -4 to 4 as the type's bits.
static unsigned bits_of(Type type, int value) {
  const float real = value;
  unsigned bits;
  std::memcpy(&bits, &real, 4);
  if (type == Type::tf32) return bits | 0x1fff;  // the low bits do not count
  if (type == Type::bf16) return bits >> 16;
  if (type == Type::f16) return __half_as_ushort(__float2half(real));
  if (type == Type::s8 || type == Type::u8) return value & 255;
  if (value == 0) return 0;
  const int mantissa_bits = type == Type::e4m3 ? 3 : 2, bias = type == Type::e4m3 ? 7 : 15;
  const int exponent = int(bits >> 23 & 255) - 127;
  return (value < 0 ? 128 : 0) | (exponent + bias) << mantissa_bits |
         (bits >> (23 - mantissa_bits) & ((1 << mantissa_bits) - 1));
}

static int value_at(Type type, int row, int column, int seed) {
  const unsigned hash = (row * 131u + column * 17u + seed) * 2654435761u >> 13;
  return type == Type::u8 ? hash % 5 : int(hash % 9) - 4;
}

/// How a matrix lies in shared memory. `length` is M or N.
struct Layout {
  bool transposed;  ///< M or N is contiguous, not K
  int span;         ///< 16: not swizzled; 32, 64, 128
  int leading, stride;
};

/// The byte of an element, as the PTX ISA's figures have it.
static int place_of(const Layout& layout, int at, int k, int bytes) {
  int place;
  if (!layout.transposed) {
    const int byte = k * bytes;
    place = at / 8 * layout.stride + at % 8 * layout.span + byte % layout.span +
            byte / layout.span * layout.leading;
  } else if (layout.span == 16) {
    place = at / 8 * layout.stride + k / 8 * layout.leading + k % 8 * 16 + at % 8 * bytes;
  } else {
    const int byte = at * bytes;
    place = k / 8 * layout.stride + k % 8 * layout.span + byte % layout.span +
            byte / layout.span * layout.leading;
  }
  const int mask = layout.span / 16 - 1;
  return place ^ ((place >> 7 & mask) << 4);
}

static std::vector<unsigned char> image_of(Type type, const Layout& layout, int length, int depth,
                                           int seed) {
  std::vector<unsigned char> image(16384);
  for (int at = 0; at < length; ++at) {
    for (int k = 0; k < depth; ++k) {
      const unsigned bits = bits_of(type, value_at(type, at, k, seed));
      std::memcpy(&image[place_of(layout, at, k, bytes_of(type))], &bits, bytes_of(type));
    }
  }
  return image;
}

static uint64_t descriptor_of(const Layout& layout) {
  const uint64_t mode = layout.span == 128 ? 1 : layout.span == 64 ? 2 : layout.span == 32 ? 3 : 0;
  return uint64_t(layout.leading >> 4) << 16 | uint64_t(layout.stride >> 4) << 32 | mode << 62;
}

__device__ uint64_t at_address(uint64_t descriptor, const void* tile) {
  return descriptor | (unsigned)__cvta_generic_to_shared(tile) >> 4;
}
__device__ void fence_wgmma() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ void finish_wgmma() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

/// D begins as `start`. `Product::run(d, a, b)` is one wgmma, or with A in registers: `a` are then
/// the registers.
template <class Product>
__global__ void multiply(const unsigned char* a, const unsigned char* b, uint64_t a_descriptor,
                         uint64_t b_descriptor, const unsigned* a_registers, int start,
                         typename Product::Register* out) {
  extern __shared__ __align__(1024) unsigned char tiles[];
  for (int i = threadIdx.x; i < 16384; i += 128) {
    tiles[i] = a[i];
    tiles[16384 + i] = b[i];
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  typename Product::Register d[Product::registers];
  for (int i = 0; i < Product::registers; ++i) d[i] = Product::begin(start);
  fence_wgmma();
  Product::run(d, at_address(a_descriptor, tiles), at_address(b_descriptor, tiles + 16384),
               a_registers + threadIdx.x * 4);
  finish_wgmma();
  for (int i = 0; i < Product::registers; ++i)
    out[threadIdx.x * Product::registers + i] = d[i];
}

struct Floats {
  using Register = float;
  static __device__ float begin(int value) { return value; }
};
struct Wholes {
  using Register = unsigned;
  static __device__ unsigned begin(int value) { return value; }
};
struct Halves {
  using Register = unsigned;
  static __device__ unsigned begin(int value) {
    return __half_as_ushort(__float2half(value)) * 0x10001u;
  }
};

#define PRODUCT(name, base, count, macro, form, tail)                                            \
  struct name : base {                                                                           \
    static constexpr int registers = count;                                                      \
    static __device__ void run(Register (&d)[count], uint64_t a, uint64_t b, const unsigned*) {  \
      macro(form, d, a, b, 1, tail);                                                             \
    }                                                                                            \
  };
#define PRODUCT_A(name, base, count, macro, form, tail)                                          \
  struct name : base {                                                                           \
    static constexpr int registers = count;                                                      \
    static __device__ void run(Register (&d)[count], uint64_t, uint64_t b, const unsigned* a) {  \
      macro(form, d, a, b, 1, tail);                                                             \
    }                                                                                            \
  };

PRODUCT(HalfK, Floats, 12, WGMMA_12_FLOAT, "m64n24k16.f32.f16.f16", ", 1, 1, 0, 0")
PRODUCT(HalfTransposedB, Floats, 128, WGMMA_128_FLOAT, "m64n256k16.f32.f16.f16", ", 1, 1, 0, 1")
PRODUCT(BfloatTransposed, Floats, 32, WGMMA_32_FLOAT, "m64n64k16.f32.bf16.bf16", ", 1, 1, 1, 1")
PRODUCT(BfloatNegated, Floats, 32, WGMMA_32_FLOAT, "m64n64k16.f32.bf16.bf16", ", -1, 1, 0, 0")
PRODUCT(HalfToHalf, Halves, 4, WGMMA_4_WHOLE, "m64n16k16.f16.f16.f16", ", -1, -1, 0, 0")
PRODUCT(Tf32, Floats, 4, WGMMA_4_FLOAT, "m64n8k8.f32.tf32.tf32", ", 1, 1")
PRODUCT(Signed, Wholes, 12, WGMMA_12_WHOLE, "m64n24k32.s32.s8.u8", "")
PRODUCT(Saturated, Wholes, 4, WGMMA_4_WHOLE, "m64n8k32.s32.u8.s8.satfinite", "")
PRODUCT(Eights, Floats, 12, WGMMA_12_FLOAT, "m64n24k32.f32.e4m3.e5m2", ", 1, 1")
PRODUCT(EightsToHalf, Halves, 2, WGMMA_2_WHOLE, "m64n8k32.f16.e5m2.e4m3", ", 1, 1")
PRODUCT_A(HalfA, Floats, 12, WGMMA_12_FLOAT_A, "m64n24k16.f32.f16.f16", ", 1, 1, 1")
PRODUCT_A(SignedA, Wholes, 4, WGMMA_4_WHOLE_A, "m64n8k32.s32.s8.s8", "")
PRODUCT_A(Tf32A, Floats, 4, WGMMA_4_FLOAT_A, "m64n8k8.f32.tf32.tf32", ", 1, 1")

/// The registers of A that thread `t` has.
static void registers_of_a(Type type, int t, unsigned* registers) {
  const int n = 4 / bytes_of(type), group = t % 32 / 4, place = t % 4;
  for (int r = 0; r < 4; ++r) {
    registers[r] = 0;
    for (int e = 0; e < n; ++e) {
      const int row = t / 32 * 16 + group + 8 * (r % 2);
      const int column = 4 * n * (r / 2) + n * place + e;
      registers[r] |= bits_of(type, value_at(type, row, column, 1)) << 8 * e * bytes_of(type);
    }
  }
}

static double value_of(float d, int, bool) {
  return d;
}
static double value_of(unsigned d, int part, bool halves) {
  return halves ? (double)__half2float(__ushort_as_half(d >> 16 * part)) : (int)d;
}

template <class Product>
static void check(Type a, Type b, int n, const Layout& of_a, const Layout& of_b, int sign = 1,
                  int start = 3) {
  using Register = typename Product::Register;
  const int k = 32 / bytes_of(a);
  const auto image_a = image_of(a, of_a, 64, k, 1), image_b = image_of(b, of_b, n, k, 2);
  static Values<unsigned char, 16384> device_a, device_b;
  static Values<unsigned, 512> a_registers;
  static Values<Register, 128 * Product::registers> out;
  device_a.set(image_a.data());
  device_b.set(image_b.data());
  std::vector<unsigned> registers(512);
  for (int t = 0; t < 128; ++t) registers_of_a(a, t, &registers[t * 4]);
  a_registers.set(registers.data());
  cudaFuncSetAttribute(multiply<Product>, cudaFuncAttributeMaxDynamicSharedMemorySize, 32768);
  multiply<Product><<<1, 128, 32768>>>(device_a, device_b, descriptor_of(of_a), descriptor_of(of_b),
                                       a_registers, start, out);
  const Register* d = out.get();
  const int parts = n / 2 / Product::registers;
  int wrong = 0;
  for (int t = 0; t < 128; ++t) {
    for (int i = 0; i < n / 2; ++i) {
      const int row = t / 32 * 16 + t % 32 / 4 + 8 * (i / 2 % 2);
      const int column = 8 * (i / 4) + 2 * (t % 4) + i % 2;
      double sum = start;
      for (int j = 0; j < k; ++j)
        sum += sign * value_at(a, row, j, 1) * value_at(b, column, j, 2);
      if (sum > 2147483647) sum = 2147483647;
      wrong += value_of(d[t * Product::registers + i / parts], i % parts, parts == 2) != sum;
    }
  }
  EXPECT(wrong == 0);
}

/// K-major with `k` elements in 32 bytes: neighbouring 8 rows follow each other.
static Layout k_major(int span) {
  return {false, span, 4096, span * 8};
}
/// 8 rows of K follow each other; groups of columns are 2048 bytes apart, or the other way round.
static Layout transposed(int span) {
  return span == 16 ? Layout{true, 16, 128, 256} : Layout{true, span, 16 * span, 8 * span};
}

static void fixture() {
  for (int span : {16, 32, 64, 128}) {
    check<HalfK>(Type::f16, Type::f16, 24, k_major(span), k_major(128));
    check<HalfTransposedB>(Type::f16, Type::f16, 256, k_major(32), transposed(span));
    check<BfloatTransposed>(Type::bf16, Type::bf16, 64, transposed(span), transposed(128));
    check<Signed>(Type::s8, Type::u8, 24, k_major(span), k_major(64));
  }
  check<BfloatNegated>(Type::bf16, Type::bf16, 64, k_major(64), k_major(16), -1);
  check<HalfToHalf>(Type::f16, Type::f16, 16, k_major(128), k_major(32));
  check<Tf32>(Type::tf32, Type::tf32, 8, k_major(128), k_major(64));
  check<Saturated>(Type::u8, Type::s8, 8, k_major(128), k_major(64), 1, 2147483600);
  check<Eights>(Type::e4m3, Type::e5m2, 24, k_major(128), k_major(64));
  check<EightsToHalf>(Type::e5m2, Type::e4m3, 8, k_major(16), k_major(64));
  check<HalfA>(Type::f16, Type::f16, 24, k_major(128), transposed(64));
  check<SignedA>(Type::s8, Type::s8, 8, k_major(128), k_major(128));
  check<Tf32A>(Type::tf32, Type::tf32, 8, k_major(128), k_major(128));
}
