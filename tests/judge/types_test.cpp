// The short floats on the host, and arrays of any type.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "problems/spec/array.h"

using namespace kata;

TEST_CASE("a half is the nearest one, ties go to even, and large numbers become infinite") {
  CHECK(Half(1.0).bits == 0x3c00);
  CHECK(Half(-2.0).bits == 0xc000);
  CHECK(Half(65504.0).bits == 0x7bff);
  CHECK(Half(65519.0).bits == 0x7bff);
  CHECK(Half(65520.0).bits == 0x7c00);
  CHECK(Half(1 + 0x1p-11).bits == 0x3c00);      // a tie: to even
  CHECK(Half(1 + 3 * 0x1p-11).bits == 0x3c02);  // a tie: to even
  CHECK(Half(1 + 0x1.8p-11).bits == 0x3c01);
  CHECK(Half(0x1p-24).bits == 1);
  CHECK(Half(0x1p-25).bits == 0);
  CHECK(Half(0x1.8p-25).bits == 1);
  CHECK(Half(-0.0).bits == 0x8000);
  CHECK(std::isnan(static_cast<float>(Half(std::nan("")))));
  // Once, not to float first: that would be a tie.
  CHECK(Half(1 + 0x1p-11 + 0x1p-40).bits == 0x3c01);
}

TEST_CASE("a bfloat16 is the nearest one, ties go to even") {
  CHECK(Bfloat16(1.0).bits == 0x3f80);
  CHECK(Bfloat16(1 + 0x1p-8).bits == 0x3f80);
  CHECK(Bfloat16(1 + 3 * 0x1p-8).bits == 0x3f82);
  CHECK(Bfloat16(3e38).bits == 0x7f62);
  CHECK(Bfloat16(0x1.fffp127).bits == 0x7f80);
  CHECK(Bfloat16(std::numeric_limits<double>::infinity()).bits == 0x7f80);
}

TEST_CASE("an e4m3 is the nearest one, ties go to even, and large numbers become 448") {
  CHECK(E4m3(1.0).bits == 0x38);
  CHECK(E4m3(-448.0).bits == 0xfe);
  CHECK(E4m3(464.0).bits == 0x7e);
  CHECK(E4m3(-1e300).bits == 0xfe);
  CHECK(E4m3(1 + 0x1p-4).bits == 0x38);      // a tie: to even
  CHECK(E4m3(1 + 3 * 0x1p-4).bits == 0x3a);  // a tie: to even
  CHECK(E4m3(1.97).bits == 0x40);
  CHECK(E4m3(0x1p-9).bits == 1);
  CHECK(E4m3(0x1p-10).bits == 0);
  CHECK(E4m3(7.6 * 0x1p-9).bits == 8);
  CHECK(E4m3(-0.0).bits == 0x80);
  CHECK(E4m3(std::nan("")).bits == 0x7f);
}

TEST_CASE("every e4m3 comes back from float as the same bits") {
  for (unsigned bits = 0; bits < 0x100; ++bits) {
    E4m3 number;
    number.bits = static_cast<std::uint8_t>(bits);
    const auto value = static_cast<float>(number);
    CHECK(std::isnan(value) == ((bits & 0x7f) == 0x7f));
    if (!std::isnan(value)) CHECK(E4m3(value).bits == bits);
  }
}

TEST_CASE("every number of 16 bits comes back from float as the same bits") {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    Half half;
    half.bits = static_cast<std::uint16_t>(bits);
    Bfloat16 bfloat16;
    bfloat16.bits = static_cast<std::uint16_t>(bits);
    const bool right =
        (std::isnan(static_cast<float>(half)) || Half(half).bits == bits) &&
        (std::isnan(static_cast<float>(bfloat16)) || Bfloat16(bfloat16).bits == bits);
    if (!right) FAIL("bits " << bits);
  }
}

TEST_CASE("the rounding of a type is half of the distance to the next number") {
  CHECK(rounding(Type::f32, 1) == 0x1p-24);
  CHECK(rounding(Type::f16, 1) == 0x1p-11);
  CHECK(rounding(Type::f16, -2047) == 0.5);
  CHECK(rounding(Type::f16, 0) == 0x1p-25);
  CHECK(rounding(Type::bf16, 3) == 0x1p-7);
  CHECK(rounding(Type::e4m3, 3) == 0x1p-3);
  CHECK(rounding(Type::e4m3, 0) == 0x1p-10);
}

TEST_CASE("an array holds any type, and gives its elements as doubles") {
  Array array(Type::u32, 3);
  array.set(2, 4294967295.0);
  CHECK(array[2] == 4294967295.0);
  CHECK(array.as<unsigned>()[2] == 4294967295u);
  CHECK(array.bytes().size() == 12);
  Array halves(std::vector<Half>{Half(1.5), Half(-3.0)});
  CHECK(halves.type() == Type::f16);
  CHECK(halves[1] == -3);
  CHECK(halves == Array(std::vector<Half>{Half(1.5), Half(-3.0)}));
  CHECK_FALSE(halves == Array(std::vector<Bfloat16>(2)));
}
