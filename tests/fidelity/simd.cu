// What the SIMD intrinsics give, as one number for each: simd_test.cpp compares what the emulator
// prints with what an H200 (driver 580.159, CUDA 13.0) printed on 2026-12-01:
//
//   nvcc -arch=sm_90 -o simd tests/fidelity/simd.cu && ./simd > tests/fidelity/h200_simd.txt
#include <cuda_runtime.h>

#include <cstdio>

// clang-format off
#define OF_TWO_WORDS(X) \
    X(__vmaxs2) X(__vmins2) X(__vabsdiffs2) X(__vavgs2) X(__vcmpges2) X(__vcmpgts2) X(__vcmples2) \
    X(__vcmplts2) X(__vsetges2) X(__vsetgts2) X(__vsetles2) X(__vsetlts2) X(__vsads2)             \
    X(__vaddss2) X(__vsubss2) X(__vmaxu2) X(__vminu2) X(__vabsdiffu2) X(__vavgu2) X(__vcmpgeu2)   \
    X(__vcmpgtu2) X(__vcmpleu2) X(__vcmpltu2) X(__vsetgeu2) X(__vsetgtu2) X(__vsetleu2)           \
    X(__vsetltu2) X(__vsadu2) X(__vaddus2) X(__vsubus2) X(__vcmpeq2) X(__vcmpne2) X(__vseteq2)    \
    X(__vsetne2) X(__vadd2) X(__vsub2) X(__vhaddu2) X(__vmaxs4) X(__vmins4) X(__vabsdiffs4)       \
    X(__vavgs4) X(__vcmpges4) X(__vcmpgts4) X(__vcmples4) X(__vcmplts4) X(__vsetges4)             \
    X(__vsetgts4) X(__vsetles4) X(__vsetlts4) X(__vsads4) X(__vaddss4) X(__vsubss4) X(__vmaxu4)   \
    X(__vminu4) X(__vabsdiffu4) X(__vavgu4) X(__vcmpgeu4) X(__vcmpgtu4) X(__vcmpleu4)             \
    X(__vcmpltu4) X(__vsetgeu4) X(__vsetgtu4) X(__vsetleu4) X(__vsetltu4) X(__vsadu4)             \
    X(__vaddus4) X(__vsubus4) X(__vcmpeq4) X(__vcmpne4) X(__vseteq4) X(__vsetne4) X(__vadd4)      \
    X(__vsub4) X(__vhaddu4)
#define OF_ONE_WORD(X) \
    X(__vabs2) X(__vneg2) X(__vabsss2) X(__vnegss2) X(__vabs4) X(__vneg4) X(__vabsss4)            \
    X(__vnegss4)
// Of DPX: with three words, with two, and with flags.
#define OF_THREE_WORDS(X) \
    X(__vimax3_s32) X(__vimax3_u32) X(__vimax3_s16x2) X(__vimax3_u16x2) X(__vimin3_s32)           \
    X(__vimin3_u32) X(__vimin3_s16x2) X(__vimin3_u16x2) X(__viaddmax_s32) X(__viaddmax_u32)       \
    X(__viaddmax_s16x2) X(__viaddmax_u16x2) X(__viaddmin_s32) X(__viaddmin_u32)                   \
    X(__viaddmin_s16x2) X(__viaddmin_u16x2) X(__vimax3_s32_relu) X(__vimax3_s16x2_relu)           \
    X(__vimin3_s32_relu) X(__vimin3_s16x2_relu) X(__viaddmax_s32_relu) X(__viaddmax_s16x2_relu)   \
    X(__viaddmin_s32_relu) X(__viaddmin_s16x2_relu)
#define WITH_RELU(X) \
    X(__vimax_s32_relu) X(__vimax_s16x2_relu) X(__vimin_s32_relu) X(__vimin_s16x2_relu)
#define WITH_FLAG(X) X(__vibmax_s32) X(__vibmax_u32) X(__vibmin_s32) X(__vibmin_u32)
#define WITH_FLAGS(X) X(__vibmax_s16x2) X(__vibmax_u16x2) X(__vibmin_s16x2) X(__vibmin_u16x2)
// clang-format on

constexpr int operands = 4096;

/// Random bytes, with every fourth of them at an end of the range.
__device__ unsigned word(unsigned i) {
  unsigned x = i * 0x9e3779b9u + 1;
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  const unsigned ends[] = {0x80u, 0x7fu, 0xffu, 0u};
  if (i % 4 == 0) x = x & 0x00ffffffu | ends[i / 4 % 4] << 24;
  if (i % 8 == 0) x = x & 0xffff0000u | (i / 8 % 2 ? 0x8000u : 0x7fffu);
  return x;
}

__device__ unsigned mixed(unsigned hash, unsigned value) {
  return (hash ^ value) * 0x01000193u + (value >> 7);
}

__global__ void hashes(unsigned* hash) {
  int at = 0;
#define HASH(value)                                                   \
  hash[at] = 2166136261u;                                             \
  for (int i = 0; i < operands; ++i) {                                \
    const unsigned a = word(2 * i), b = i % 16 ? word(2 * i + 1) : a; \
    const unsigned third = i % 5 ? word(3 * i) : ~a;                  \
    bool high = false, low = false;                                   \
    const unsigned result = value;                                    \
    (void)b, (void)third;                                             \
    hash[at] = mixed(hash[at], result + 2 * high + low);              \
  }                                                                   \
  ++at;
#define X(f) HASH(f(a, b))
  OF_TWO_WORDS(X)
#undef X
#define X(f) HASH(f(a))
  OF_ONE_WORD(X)
#undef X
#define X(f) HASH(f(a, b, third))
  OF_THREE_WORDS(X)
#undef X
#define X(f) HASH(f(a, b))
  WITH_RELU(X)
#undef X
#define X(f) HASH(f(a, b, &low))
  WITH_FLAG(X)
#undef X
#define X(f) HASH(f(a, b, &high, &low))
  WITH_FLAGS(X)
#undef X
}

int main() {
#define X(f) #f,
  const char* const names[] = {OF_TWO_WORDS(X) OF_ONE_WORD(X) OF_THREE_WORDS(X) WITH_RELU(X)
                                   WITH_FLAG(X) WITH_FLAGS(X)};
#undef X
  constexpr int functions = sizeof names / sizeof *names;
  unsigned* hash = nullptr;
  cudaMallocManaged(&hash, sizeof(unsigned) * functions);
  hashes<<<1, 1>>>(hash);
  if (const cudaError_t error = cudaDeviceSynchronize()) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  for (int i = 0; i < functions; ++i) std::printf("%s %08x\n", names[i], hash[i]);
  cudaFree(hash);
}
