#pragma once
// wgmma in every type and layout.
#include "products.cuh"

F32(HalfToFloat24, 24, 12, 16, f16, f16, ", 1, 1, 0, 0")
F16(HalfToHalf24, 24, 6, 16, f16, f16, ", 1, 1, 0, 0")
F32(Tf32ToFloat24, 24, 12, 8, tf32, tf32, ", 1, 1")
F32(Tf32ToFloat64, 64, 32, 8, tf32, tf32, ", 1, 1")
S32(Bytes24, 24, 12, s8, s8, "")
S32(Bytes64, 64, 32, s8, s8, "")

// ---- every type, A in shared memory and in registers

F32_A(HalfA, 24, 12, 16, f16, f16, ", 1, 1, 0")
F16_A(HalfHalfA, 24, 6, 16, f16, f16, ", 1, 1, 0")
F32(Brain, 24, 12, 16, bf16, bf16, ", 1, 1, 0, 0")
F32_A(BrainA, 24, 12, 16, bf16, bf16, ", 1, 1, 0")
F32_A(Tf32A, 24, 12, 8, tf32, tf32, ", 1, 1")
F32(E4E4, 24, 12, 32, e4m3, e4m3, ", 1, 1")
F32(E4E5, 24, 12, 32, e4m3, e5m2, ", 1, 1")
F32(E5E4, 24, 12, 32, e5m2, e4m3, ", 1, 1")
F32(E5E5, 24, 12, 32, e5m2, e5m2, ", 1, 1")
F32_A(E4E5A, 24, 12, 32, e4m3, e5m2, ", 1, 1")
F32_A(E5E4A, 24, 12, 32, e5m2, e4m3, ", 1, 1")
F16(E4E4Half, 24, 6, 32, e4m3, e4m3, ", 1, 1")
F16(E4E5Half, 24, 6, 32, e4m3, e5m2, ", 1, 1")
F16(E5E4Half, 24, 6, 32, e5m2, e4m3, ", 1, 1")
F16_A(E5E5HalfA, 24, 6, 32, e5m2, e5m2, ", 1, 1")
S32(U8U8, 24, 12, u8, u8, "")
S32(S8U8, 24, 12, s8, u8, "")
S32(U8S8, 24, 12, u8, s8, "")
S32_A(S8S8A, 24, 12, s8, s8, "")
S32_A(U8S8A, 24, 12, u8, s8, "")
S32_A(S8U8A, 24, 12, s8, u8, "")

void types() {
  plain_products<HalfA, HalfHalfA, Brain, BrainA, Tf32A, E4E4, E4E5, E5E4, E5E5, E4E5A, E5E4A,
                 E4E4Half, E4E5Half, E5E4Half, E5E5HalfA, U8U8, S8U8, U8S8, S8S8A, U8S8A, S8U8A>();
}

// ---- signs, transpositions, swizzles, strides

F32(Signs01, 24, 12, 16, f16, f16, ", 1, -1, 0, 0")
F32(Signs10, 24, 12, 16, f16, f16, ", -1, 1, 0, 0")
F32(Signs11, 24, 12, 16, f16, f16, ", -1, -1, 0, 0")
F16(HalfSigns01, 24, 6, 16, f16, f16, ", 1, -1, 0, 0")
F32_A(SignsA, 24, 12, 16, f16, f16, ", -1, 1, 0")
F32(Tf32Signs, 24, 12, 8, tf32, tf32, ", -1, 1")
F32(E4Signs, 24, 12, 32, e4m3, e4m3, ", 1, -1")

void signs() {
  for (const int adds : {1, 0}) {
    const char* what = adds ? "" : "scale-d=0";
    const Run run{plain, plain, adds};
    product_fact<HalfToFloat24>(name_of("signs=+,+ %s", what), run);
    product_fact<Signs01>(name_of("signs=+,- %s", what), run);
    product_fact<Signs10>(name_of("signs=-,+ %s", what), run);
    product_fact<Signs11>(name_of("signs=-,- %s", what), run);
    product_fact<HalfSigns01>(name_of("signs=+,- %s", what), run);
    product_fact<SignsA>(name_of("signs=-,+ %s", what), run);
    product_fact<Tf32Signs>(name_of("signs=-,+ %s", what), run);
    product_fact<E4Signs>(name_of("signs=+,- %s", what), run);
    product_fact<Bytes24>(what, run);
  }
}

F32(N64K, 64, 32, 16, f16, f16, ", 1, 1, 0, 0")
F32(N64M, 64, 32, 16, f16, f16, ", 1, 1, 0, 1")
F32(A64M, 64, 32, 16, f16, f16, ", 1, 1, 1, 0")
F32(Both64M, 64, 32, 16, bf16, bf16, ", 1, 1, 1, 1")
F32(N256M, 256, 128, 16, f16, f16, ", 1, 1, 0, 1")
F32_A(N64MA, 64, 32, 16, f16, f16, ", 1, 1, 1")

constexpr int span_of(int mode) {
  return mode == 0 ? 16 : 256 >> mode;
}

void layouts() {
  for (int mode = 0; mode < 4; ++mode) {
    const int span = span_of(mode);
    for (const int start : {0, 16, 32, 64, 96, 128, 256, 512, 1024}) {
      const struct {
        int leading, stride;
      } steps[] = {{128, 8 * span}, {8 * span, 128}, {2048, 1024}, {1024, 2048}, {1040, 1296}};
      for (const auto& step : steps) {
        if (mode == 0 && step.stride == 128 && &step != steps) continue;  // as the first
        if (start > 128 && step.leading != 2048) continue;
        const uint64_t both = descriptor(start, step.leading, step.stride, mode);
        const auto what = [&](const char* majors) {
          return name_of("%s mode=%d start=%d LBO=%d SBO=%d", majors, mode, start, step.leading,
                      step.stride);
        };
        product_fact<N64K>(what("A and B along K"), {both, both});
        product_fact<N64M>(what("B across K"), {plain, both});
        product_fact<A64M>(what("A across K"), {both, plain});
        product_fact<Both64M>(what("A and B across K"), {both, both});
        product_fact<N64MA>(what("B across K"), {0, both});
        if (start > 32) continue;
        product_fact<Tf32ToFloat64>(what(""), {both, both});
        product_fact<Bytes64>(what(""), {both, both});
      }
    }
    const uint64_t wide = descriptor(0, 2048, 8 * span, mode);
    product_fact<N256M>(name_of("mode=%d", mode), {plain, wide});
    for (const int leading : {0, 1, 63})  // where it is said not to matter
      product_fact<N64K>(name_of("mode=%d LBO=16*%d", mode, leading),
                         {descriptor(0, 16 * leading, 1024, mode), descriptor(0, 16 * leading, 1024, mode)});
  }
}

void base_offsets() {
  for (int mode = 0; mode < 4; ++mode) {
    for (int offset = 1; offset < 8; ++offset) {
      for (const int start : {0, 128 * offset, 128}) {
        const uint64_t b = descriptor(start, 2048, 1024, mode, offset);
        product_fact<N64K>(name_of("mode=%d start=%d base=%d", mode, start, offset), {plain, b});
        product_fact<N64M>(name_of("across K mode=%d start=%d base=%d", mode, start, offset), {plain, b});
      }
    }
  }
}
