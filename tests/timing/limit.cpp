#include "timing/limit.h"

#include <doctest/doctest.h>

using namespace kata;

namespace {

const Ceilings ceilings = {.copy_bytes = 4e12, .read_bytes = 5e12, .ffma_operations = 60e12};

}  // namespace

TEST_CASE("an operator that writes what it reads is held against the copy") {
  const Limit least = limit({.bytes_read = 2e9, .bytes_written = 2e9, .operations = 1e6}, ceilings);
  CHECK(least.name == "limit (copy)");
  CHECK(least.us == doctest::Approx(1000));
}

TEST_CASE("two inputs and one output are still a copy") {
  const Limit least = limit({.bytes_read = 8e6, .bytes_written = 4e6}, ceilings);
  CHECK(least.name == "limit (copy)");
  CHECK(least.us == doctest::Approx(3));
}

TEST_CASE("a reduction is held against reading alone") {
  const Limit least = limit({.bytes_read = 5e6, .bytes_written = 4, .operations = 1e6}, ceilings);
  CHECK(least.name == "limit (read)");
  CHECK(least.us == doctest::Approx(1).epsilon(1e-5));
}

TEST_CASE("a large matrix product is held against arithmetic") {
  const double n = 4096;
  const Limit least = limit(
      {.bytes_read = 8 * n * n, .bytes_written = 4 * n * n, .operations = 2 * n * n * n}, ceilings);
  CHECK(least.name == "limit (FFMA)");
  CHECK(least.us == doctest::Approx(2 * n * n * n / 60e6));
}

TEST_CASE("a thin matrix product is held against memory") {
  const double m = 8192, k = 8192;
  const Limit least = limit(
      {.bytes_read = 4 * (m * k + k), .bytes_written = 4 * m, .operations = 2 * m * k}, ceilings);
  CHECK(least.name == "limit (read)");
}
