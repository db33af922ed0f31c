// The constants near which a candidate's sizes are tried.
#include "compile/constants.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kata;
using Use = SourceConstant::Use;

namespace {

std::set<SourceConstant> constants(const std::string& text) {
  return constants_of({{"own.cu", text}});
}

std::set<std::int64_t> values(const std::string& text) {
  std::set<std::int64_t> all;
  for (const SourceConstant& one : constants(text)) all.insert(one.value);
  return all;
}

SourceConstant compared(std::int64_t value, const std::string& name) {
  return {.use = Use::compared, .value = value, .names = {name}};
}

}  // namespace

TEST_CASE("macros, constants and enumerators count with their values, and so do their products") {
  const std::set<std::int64_t> all = values(R"(
#define TILE 48
#define AREA (TILE * TILE)  // 7
#define TWICE(x) (2 * (x))
constexpr int WARPS = 0x8, THREADS = WARPS * 32;
enum { ITEMS = 5 };
template <int DEPTH = 9> int f() { return AREA + THREADS * ITEMS * DEPTH - (1 << 20); }
int g(float x) { return x < 1.5f ? 1'000u : 17; } /* 18 */ const char* s = "19";
)");
  for (std::int64_t one : {48, 48 * 48, 8, 256, 256 * 45, 45, 9, 1 << 20, 1000, 17})
    CHECK_MESSAGE(all.contains(one), one);
  for (std::int64_t one : {7, 15, 18, 19}) CHECK_MESSAGE(!all.contains(one), one);
}

TEST_CASE("a comparison knows what is compared, on either side and in an expression") {
  const std::set<SourceConstant> all = constants(R"(
#define MOST 1024
if (cols > MOST || (4096 <= rows && n * sizeof(float) < 48 * 1024)) f(x / 3 == 7);
if (2 * n > 100) g<<<n, 128>>>();
)");
  CHECK(all.contains(compared(1024, "cols")));
  CHECK(all.contains(compared(4096, "rows")));
  CHECK(all.contains(compared(100, "n")));
  CHECK(all.contains(compared(7, "x")));
  CHECK(std::ranges::any_of(all, [](const SourceConstant& one) {
    return one.use == Use::compared && one.value == 49152 && one.names.contains("n");
  }));
  CHECK_FALSE(all.contains(compared(2, "n")));
}

TEST_CASE("the shared memory that a device has counts as compared where a file asks for it") {
  const auto asks = [](const std::string& text, std::int64_t bytes) {
    return constants(text).contains({.use = Use::compared, .value = bytes});
  };
  const std::string attribute = "f(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);";
  CHECK(asks(attribute, 232448));
  CHECK(asks("if (4 * cols <= properties.sharedMemPerBlock) g();", 49152));
  CHECK_FALSE(asks(attribute, 49152));
}

TEST_CASE("a remainder has its divisor, also as a mask, and both answers where none is asked for") {
  const auto remainder = [](std::int64_t modulus, std::int64_t value) {
    return SourceConstant{
        .use = Use::remainder, .value = value, .modulus = modulus, .names = {"n"}};
  };
  const std::set<SourceConstant> all = constants("if (n % 48 == 17 || (n & 7) == 3 || n % 5) f();");
  for (const SourceConstant& one :
       {remainder(48, 17), remainder(8, 3), remainder(5, 0), remainder(5, 1)})
    CHECK(all.contains(one));
  CHECK_FALSE(all.contains(remainder(48, 0)));
}
