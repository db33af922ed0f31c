// Facts about the sums of FP8 products, as a Hopper shows them: how many bits wgmma keeps of a term
// beside a larger one, what it cuts and when; and mma.sync, which is made of products of halves.
#include <cuda_fp8.h>

#include "products.cuh"

F32(E4, 8, 4, 32, e4m3, e4m3, ", 1, 1")
F32(E5, 8, 4, 32, e5m2, e5m2, ", 1, 1")

/// A product that takes part in a sum: `place` is its k.
struct Term {
  int place;
  float a, b;
};

/// One row of A and one column of B.
struct Operands {
  unsigned char a[32] = {}, b[32] = {};

  Operands() = default;
  Operands(const std::vector<Term>& terms, bool is_e5m2) {
    for (const Term& term : terms) {
      a[term.place] = is_e5m2 ? __nv_fp8_e5m2(term.a).__x : __nv_fp8_e4m3(term.a).__x;
      b[term.place] = is_e5m2 ? __nv_fp8_e5m2(term.b).__x : __nv_fp8_e4m3(term.b).__x;
    }
  }
};

// ---- one instruction

template <class Form>
unsigned by_wgmma(const Operands& operands, unsigned start) {
  std::vector<unsigned char> halves(2 * half_bytes);
  for (int k = 0; k < 32; ++k) {
    halves[k / 16 * 128 + k % 16] = operands.a[k];
    halves[half_bytes + k / 16 * 128 + k % 16] = operands.b[k];
  }
  return product<Form>({plain, plain}, halves, std::vector<unsigned>(128 * 4, start))[0];
}

__global__ void multiply_by_mma(const unsigned* a, const unsigned* b, unsigned start,
                                unsigned* out) {
  // Row 0 and column 0 are those of lanes 0 to 3.
  const int place = threadIdx.x % 4;
  const bool is_first = threadIdx.x < 4;
  const unsigned low = is_first ? a[place] : 0, high = is_first ? a[4 + place] : 0;
  unsigned d[4] = {start, start, start, start};
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(low), "r"(0), "r"(high), "r"(0), "r"(is_first ? b[place] : 0),
        "r"(is_first ? b[4 + place] : 0));
  if (threadIdx.x == 0) *out = d[0];
}

unsigned by_mma(const Operands& operands, unsigned start) {
  std::vector<unsigned> words(16);
  memcpy(&words[0], operands.a, 32);
  memcpy(&words[8], operands.b, 32);
  Device<unsigned> both(words), out(1);
  multiply_by_mma<<<1, 32>>>(both, both + 8, start, out);
  return out.values()[0];
}

using Multiply = unsigned (*)(const Operands&, unsigned start);

// ---- sums of known terms

unsigned bits_of_float(float x) {
  unsigned bits;
  memcpy(&bits, &x, 4);
  return bits;
}

float power(int exponent) {
  return ldexpf(1, exponent);
}

/// x as a product at a place; x is a power of two, or 1.5 times one.
Term small(int place, float x) {
  int exponent;
  const float fraction = frexpf(x, &exponent);
  return {place, fraction * power(exponent / 2), power(exponent - exponent / 2)};
}

std::vector<Term> repeated(int count, Term term, Term last) {
  std::vector<Term> terms;
  for (int i = 0; i < count; ++i) terms.push_back({i, term.a, term.b});
  terms.push_back(last);
  return terms;
}

void known_terms(const char* how, Multiply multiply, bool is_e5m2) {
  const auto print = [&](const char* what, int bit, const std::vector<Term>& terms, float c) {
    if (is_known()) return;
    fact("%s %s, x = 2^-%d: %08x", how, what, bit,
         multiply(Operands(terms, is_e5m2), bits_of_float(c)));
  };
  const Term one{0, 1, 1}, minus{0, -1, 1};
  for (int bit = 9; bit <= 17; ++bit) {
    const float x = power(-bit);
    const Term at_1 = small(1, x), at_31 = small(31, x);
    print("1 + x", bit, {one, at_1}, 0);
    print("1 - x", bit, {one, small(1, -x)}, 0);
    print("-1 + x", bit, {minus, at_1}, 0);
    print("-1 - x", bit, {minus, small(1, -x)}, 0);
    print("1 + 3x", bit, {one, small(1, 1.5f * power(1 - bit))}, 0);
    print("1 - 3x", bit, {one, small(1, -1.5f * power(1 - bit))}, 0);
    print("1 + x + x", bit, {one, at_1, small(2, x)}, 0);
    print("1 - 1 + x", bit, {one, {1, -1, 1}, small(2, x)}, 0);
    print("x + 1 - 1, x first", bit, {small(0, x), {1, 1, 1}, {2, -1, 1}}, 0);
    print("1 + 31 times x", bit, [&] {
      std::vector<Term> terms = {one};
      for (int k = 1; k < 32; ++k) terms.push_back(small(k, x));
      return terms;
    }(), 0);
    print("1.875 * 1.875 + x", bit, {{0, 1.875f, 1.875f}, at_31}, 0);
    for (const int count : {2, 4, 8, 31}) {
      print(name_of("%d times 1, + x", count), bit, repeated(count, one, at_31), 0);
    }
    print("c = 1, + x", bit, {at_1}, 1);
    print("c = 1, - x", bit, {small(1, -x)}, 1);
    print("c = -1, + x", bit, {at_1}, -1);
    print("c = 1, + 3x", bit, {small(1, 1.5f * power(1 - bit))}, 1);
    print("c = 1, + x + x", bit, {at_1, small(2, x)}, 1);
    print("c = 1, - 1 + x", bit, {minus, at_1}, 1);
    print("c = 8, + 1 + x", bit, {one, at_1}, 8);
  }
  for (int bit = 9; bit <= 27; ++bit) {
    const float x = power(-bit);
    print("c = x, + 1", bit, {one}, x);
    print("c = -x, + 1", bit, {one}, -x);
    print("c = 3x, + 1", bit, {one}, 3 * x);
    print("c = x, + 1 - 1", bit, {one, {1, -1, 1}}, x);
    print("c = 1 + x, + 0", bit, {}, 1 + x);
    print("c = 1 + x, + 1", bit, {one}, 1 + x);
    print("c = 1 + x, + 2^-18", bit, {small(0, power(-18))}, 1 + x);
  }
}

void terms() { known_terms("e4m3", by_wgmma<E4>, false); }
void terms_of_e5m2() { known_terms("e5m2", by_wgmma<E5>, true); }
void terms_of_mma() { known_terms("mma.sync", by_mma, false); }

// ---- which places are added before the others

void places() {
  for (int other = 1; other < 32; other = 2 * other + 1) {
    for (int place = 0; place < 32; ++place) {
      if (place == 0 || place == other || is_known()) continue;
      const Operands operands({{0, 256, 256}, {other, -256, 256}, {place, 1, 1}}, false);
      fact("2^16 at 0, -2^16 at %d, 1 at %d: %08x", other, place, by_wgmma<E4>(operands, 0));
    }
  }
}

// ---- instructions that follow each other

void steps() {
  for (const float a : {1.0f, 1.125f, 1.875f}) {
    Operands operands;
    for (int k = 0; k < 32; ++k) operands.a[k] = operands.b[k] = __nv_fp8_e4m3(a).__x;
    unsigned sum = 0;
    for (int depth = 32; depth <= 4096; depth += 32) {
      sum = by_wgmma<E4>(operands, sum);
      if (depth % 128 == 0 && (depth <= 512 || depth % 1024 == 0) && !is_known())
        fact("K %d of %g * %g: %08x", depth, a, a, sum);
    }
  }
}

// ---- any numbers: 64 rows, of each the result in column row % 8

/// Codes from `least` to `most` of either sign, or of none.
void any_numbers(const char* what, int least, int most, bool is_signed, int c_exponent) {
  std::vector<unsigned char> halves(2 * half_bytes);
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < 64 * 32; ++i) {
      const unsigned any = mixed(i + 100000 * half + 1000000 * least);
      const int row = i / 32, k = i % 32;
      const unsigned code = least + any % (most - least + 1);
      halves[half * half_bytes + row / 8 * 256 + row % 8 * 16 + k / 16 * 128 + k % 16] =
          (unsigned char)(code | (is_signed ? any >> 24 & 128 : 0));
    }
  }
  std::vector<unsigned> start(128 * 4);
  for (size_t i = 0; i < start.size() && c_exponent > -127; ++i) {
    const unsigned any = mixed(i + 31);
    start[i] = (any & 0x807fffff) | (unsigned)(c_exponent + 127 + (int)(any >> 24 & 3)) << 23;
    if (!is_signed) start[i] &= 0x7fffffff;
  }
  const std::vector<unsigned> d = product<E4>({plain, plain}, halves, start);
  for (int row = 0; row < 64; ++row) {
    // Rows 16 warp + lane / 4 + 8 (i / 2), columns 2 (lane % 4) + i % 2.
    const int column = row % 8, thread = row / 16 * 32 + row % 8 * 4 + column / 2;
    const int i = row % 16 / 8 * 2 + column % 2;
    if (!is_known()) fact("%s, row %d: %08x", what, row, d[thread * 4 + i]);
  }
}

void any_sums() {
  any_numbers("0.5 to 1.9", 0x30, 0x3f, false, -127);
  any_numbers("0.5 to 1.9 with c", 0x31, 0x3f, false, 5);
  any_numbers("signed 0.06 to 15", 0x18, 0x57, true, -127);
  any_numbers("signed 0.06 to 15 with c", 0x19, 0x57, true, 4);
  any_numbers("all", 0x00, 0x7e, true, -127);
  any_numbers("all with c", 0x01, 0x7e, true, 12);
}

#define GROUP(name) {#name, name}
const Group groups[] = {GROUP(terms),  GROUP(terms_of_e5m2), GROUP(terms_of_mma),
                        GROUP(places), GROUP(steps),         GROUP(any_sums)};

int main(int argc, char** argv) {
  return run_groups(groups, argc, argv);
}
