#pragma once
// What wgmma makes of each value of a type, and of sums that do not fit.
#include "products.cuh"

// ---- each code of a type in B's first row, A's first column 1, everything else 0

F32(Half256, 256, 128, 16, f16, f16, ", 1, 1, 0, 0")
F32(Brain256, 256, 128, 16, bf16, bf16, ", 1, 1, 0, 0")
F32(Tf32256, 256, 128, 8, tf32, tf32, ", 1, 1")
F32(E4256, 256, 128, 32, e4m3, e4m3, ", 1, 1")
F32(E5256, 256, 128, 32, e5m2, e5m2, ", 1, 1")

template <class Form>
void values_of(unsigned (*code)(unsigned)) {
  std::vector<unsigned char> halves(2 * half_bytes);
  const unsigned one = bits_of(Form::a, 1);
  for (int row = 0; row < 64; ++row)
    memcpy(&halves[row / 8 * 256 + row % 8 * 16], &one, bytes_of(Form::a));
  for (unsigned column = 0; column < 256; ++column) {
    const unsigned bits = code(column);
    memcpy(&halves[half_bytes + column / 8 * 256 + column % 8 * 16], &bits, bytes_of(Form::b));
  }
  const std::vector<unsigned> d = product<Form>({plain, plain, 0}, halves,
                                                std::vector<unsigned>(128 * Form::registers));
  for (unsigned column = 0; column < 256; ++column) {
    // Row 0: value 4 (column / 8) + column % 2 of lane column / 2 % 4.
    const unsigned got = d[column / 2 % 4 * Form::registers + column / 8 * 4 + column % 2];
    fact("%s %08x is: %08x", type_names[Form::b], code(column), got);
  }
}

void values_of_fp8() {
  const auto itself = [](unsigned code) { return code; };
  values_of<E4256>(itself);
  values_of<E5256>(itself);
}
void values_of_floats() {
  values_of<Half256>([](unsigned i) {
    const unsigned codes[] = {0, 1, 2, 0x1ff, 0x3ff, 0x400, 0x3bff, 0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7e00};
    return (codes[i % 12] | i / 12 % 2 << 15) & 0xffff;
  });
  values_of<Brain256>([](unsigned i) {
    const unsigned codes[] = {0, 1, 2, 0x3f, 0x7f, 0x80, 0x3f7f, 0x3f80, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0};
    return (codes[i % 12] | i / 12 % 2 << 15) & 0xffff;
  });
  values_of<Tf32256>([](unsigned i) {
    const unsigned codes[] = {0x3f800000, 0x3f801000, 0x3f801fff, 0x3f802000, 0x3f803000, 0x3f803fff,
                              0x00000001, 0x00001fff, 0x00002000, 0x007fffff, 0x00800000, 0x7f7fffff,
                              0x7f800000, 0x7f800001, 0x7fc00000, 0x7f801fff};
    return codes[i % 16] | i / 16 % 2 << 31;
  });
}

// ---- integers at their ends

S32(Saturates, 24, 12, s8, s8, ".satfinite")

void saturation() {
  for (const unsigned start : {0x7fffff00u, 0x80000100u}) {
    const std::vector<unsigned> before(128 * 12, start);
    const std::vector<unsigned char> halves = contents(s8, s8);
    const std::vector<unsigned> wraps = product<Bytes24>({plain, plain}, halves, before);
    dump(name_of("from %08x", start), wraps.data(), wraps.size() * 4);
    const std::vector<unsigned> ends = product<Saturates>({plain, plain}, halves, before);
    dump(name_of("satfinite from %08x", start), ends.data(), ends.size() * 4);
  }
}

// ---- sums that need more bits than a device keeps: facts of the chip alone

template <class Form>
void sum_of(const char* what, float first, float second, unsigned start) {
  // Column 0 of A: `first`, column 1: `second`; B is 1 there.
  const auto bits = [](Type type, float value) {
    unsigned word;
    memcpy(&word, &value, 4);
    if (type == bf16) return word >> 16;
    return type == tf32 ? word : (unsigned)__half_as_ushort(__float2half(value));
  };
  std::vector<unsigned char> halves(2 * half_bytes);
  const int each = bytes_of(Form::a);
  const unsigned a[] = {bits(Form::a, first), bits(Form::a, second)}, one = bits(Form::a, 1);
  for (int row = 0; row < 64; ++row) {
    for (int k = 0; k < 2; ++k) {
      memcpy(&halves[row / 8 * 256 + row % 8 * 16 + k * each], &a[k], each);
      memcpy(&halves[half_bytes + row / 8 * 256 + row % 8 * 16 + k * each], &one, each);
    }
  }
  const std::vector<unsigned> d =
      product<Form>({plain, plain}, halves, std::vector<unsigned>(128 * Form::registers, start));
  fact("chip: %s.%s %s: %08x", sum_names[Form::sum], type_names[Form::a], what, d[0]);
}

void sums() {
  for (int bit = 8; bit <= 27; ++bit) {
    sum_of<Brain>(name_of("2^-%d + 1 + 1", bit), 1.0f / (1 << bit), 1, 0x3f800000);
    sum_of<Brain>(name_of("2^-%d - 1 + 1", bit), 1.0f / (1 << bit), -1, 0x3f800000);
    sum_of<Tf32ToFloat24>(name_of("2^-%d - 1 + 1", bit), 1.0f / (1 << bit), -1, 0x3f800000);
  }
  for (int bit = 0; bit < 4; ++bit) {
    sum_of<HalfToHalf24>(name_of("60000 + %d", 8 << bit), 60000, 8 << bit, 0x77007700);
    sum_of<HalfToHalf24>(name_of("2048 + %d / 8", 1 << bit), 2048, (1 << bit) / 8.0f, 0);
  }
}
