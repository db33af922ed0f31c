#include "timing/limit.h"

#include <doctest/doctest.h>

using namespace kata;

namespace {

constexpr ArithmeticRate ffma_rate{ArithmeticUnit::fma, 60e12};

}  // namespace

TEST_CASE("the limit is the median of what moves the same bytes, with its spread") {
  const Cost cost = {.bytes_read = 2e9, .bytes_written = 2e9, .operations = 1e6};
  const auto least = limit(cost, {990, 1000, 1010, 1020, 980}, ffma_rate);
  REQUIRE(least);
  CHECK(least->us == doctest::Approx(1000));
  CHECK(least->iqr_us == doctest::Approx(20));
  CHECK(least->samples == 5);
}

TEST_CASE("an operator that writes what it reads is held against a copy") {
  CHECK(limit({.bytes_read = 2e9, .bytes_written = 2e9}, {1000}, ffma_rate)->name ==
        "limit (copy)");
}

TEST_CASE("two inputs and one output are still a copy") {
  CHECK(limit({.bytes_read = 8e6, .bytes_written = 4e6}, {3}, ffma_rate)->name == "limit (copy)");
}

TEST_CASE("a reduction is held against reading alone") {
  const Cost cost = {.bytes_read = 5e6, .bytes_written = 4, .operations = 1e6};
  CHECK(limit(cost, {1}, ffma_rate)->name == "limit (read)");
}

TEST_CASE("where moving the bytes could not be measured there is no limit") {
  CHECK_FALSE(limit({.bytes_read = 5e6, .bytes_written = 4, .operations = 1e6}, {}, ffma_rate));
}

TEST_CASE("a large matrix product is held against arithmetic") {
  const double n = 4096;
  const auto least =
      limit({.bytes_read = 8 * n * n, .bytes_written = 4 * n * n, .operations = 2 * n * n * n},
            {50}, ffma_rate);
  REQUIRE(least);
  CHECK(least->name == "limit (FFMA)");
  CHECK(least->us == doctest::Approx(2 * n * n * n / 60e6));
  CHECK(least->samples == 0);
}

TEST_CASE("a matrix product of halves is held against tensor cores") {
  const double n = 4096;
  const auto least = limit({.bytes_read = 4 * n * n,
                            .bytes_written = 2 * n * n,
                            .operations = 2 * n * n * n,
                            .unit = ArithmeticUnit::tensor_f16},
                           {30}, {ArithmeticUnit::tensor_f16, 800e12});
  REQUIRE(least);
  CHECK(least->name == "limit (tensor f16)");
  CHECK(least->us == doctest::Approx(2 * n * n * n / 800e6));
}

TEST_CASE("a thin matrix product is held against memory") {
  const double m = 8192, k = 8192;
  const Cost cost = {
      .bytes_read = 4 * (m * k + k), .bytes_written = 4 * m, .operations = 2 * m * k};
  CHECK(limit(cost, {58}, ffma_rate)->name == "limit (read)");
}
