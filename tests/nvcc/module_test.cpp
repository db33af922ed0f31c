// Where nvcc is: what kata makes with it, without a GPU.
#include <doctest/doctest.h>

#include "compile/fixture.h"
#include "compile/toolchain.h"
#include "skip.h"

using namespace kata;
using namespace kata::test;

TEST_CASE("nvcc's module is a shared library for the asked architecture") {
  if (find_cuda_tool("nvcc").empty()) return skip("nvcc is not installed");
  Compiler compiler;
  const auto file = compiler.files.write("gpu.cu",
                                         "#include <cuda_runtime.h>\n"
                                         "__global__ void k(float* x) { x[0] = 1; }\n"
                                         "extern \"C\" void go(float* x) { k<<<1, 1>>>(x); }\n");
  const Result<Module> ptx = compile({.source = file, .backend = Backend::gpu});
  REQUIRE_MESSAGE(ptx, ptx.error().detail);
  CHECK(holds(ptx->functions, "go"));
  const Result<Module> hopper =
      compile({.source = file, .backend = Backend::gpu, .compute_capability = "9.0"});
  REQUIRE_MESSAGE(hopper, hopper.error().detail);
  CHECK(hopper->key != ptx->key);
  CHECK(compile({.source = file, .backend = Backend::gpu})->cached);
  CHECK(contains(content_of(hopper->path), "sm_90a"));

  // A module of its own symbols alone loads nowhere if it lacks the driver's.
  const auto driver = compiler.files.write(
      "driver.cu",
      "#include <cuda.h>\n"
      "extern \"C\" int go() { int n = 0; cuDriverGetVersion(&n); return n; }\n");
  const Result<Module> linked = compile({.source = driver, .backend = Backend::gpu});
  REQUIRE_MESSAGE(linked, linked.error().detail);
  CHECK(contains(content_of(linked->path), "libcuda.so.1"));

  const auto bad = compiler.files.write("bad.cu", "\n__global__ void k() { nothing(); }\n");
  const Result<Module> failed = compile({.source = bad, .backend = Backend::gpu});
  REQUIRE_FALSE(failed);
  CHECK(contains(failed.error().message, "1 error"));
  CHECK(contains(failed.error().message, "bad.cu:2"));
  INFO(failed.error().detail);
  CHECK(contains(failed.error().detail, "bad.cu:2:23: error: identifier"));
}
