#include "compile/toolchain.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kata;

namespace {

/// Whether a module of that source, without checks, lets other threads run in every loop.
bool is_watched_in_loops(const std::string& text) {
  const Result<Toolchain> made = emulator_toolchain(false, {{"x.cu", text}});
  REQUIRE(made);
  return std::any_of(made->flags.begin(), made->flags.end(), [](const std::string& flag) {
    return flag.find("sanitize-coverage") != std::string::npos;
  });
}

}  // namespace

TEST_CASE("what a comment says does not slow a program down") {
  CHECK(is_watched_in_loops("__device__ volatile int flag;"));
  CHECK(is_watched_in_loops("__global__ void k() { while (clock64() < 9) {} }"));
  CHECK_FALSE(is_watched_in_loops("// 24 clocks of shared memory\nint x; /* atomic, volatile */"));
}
