// Registers of kernels, by ptxas.
#include "compile/registers.h"

#include <doctest/doctest.h>

#include "compile/toolchain.h"
#include "fixture.h"

using namespace kata;
using namespace kata::test;

TEST_CASE("what ptxas prints of each kernel is read") {
  const auto kernels = resources_from_ptxas(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function '_Z3sumILi4EEvPKfPfi' for 'sm_90a'\n"
      "ptxas info    : Function properties for _Z3sumILi4EEvPKfPfi\n"
      "    8 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 124 registers, used 1 barriers, 16640 bytes smem\n"
      "ptxas info    : Compile time = 3.129 ms\n"
      "ptxas info    : Compiling entry function 'plain' for 'sm_75'\n"
      "ptxas info    : Used 12 registers, used 0 barriers, 380 bytes cmem[0]\n");
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].kernel == "void sum<4>(float const*, float*, int)");
  CHECK(kernels[0].registers == 124);
  CHECK(kernels[0].static_shared_bytes == 16640);
  CHECK(kernels[0].spilled_bytes == 4);
  CHECK(kernels[1].kernel == "plain");
  CHECK(kernels[1].registers == 12);
  CHECK(kernels[1].static_shared_bytes == 0);
  CHECK(resources_from_ptxas("nvcc fatal: no such chip").empty());
}

TEST_CASE("where nvcc is, it says how many registers a kernel takes, once") {
  if (find_cuda_tool("nvcc").empty()) return;
  Compiler compiler;
  const auto source = compiler.files.write("k.cu", R"(
__global__ __launch_bounds__(1024) void small(float* x) { x[threadIdx.x] *= 2; }
__global__ void shared(float* x) {
  __shared__ float s[512];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[511 - threadIdx.x];
})");
  const auto kernels = kernel_resources(source, "9.0");
  REQUIRE_MESSAGE(kernels, kernels.error().message);
  REQUIRE(kernels->size() == 2);
  for (const KernelResources& kernel : *kernels) {
    CHECK(kernel.registers >= 4);
    CHECK(kernel.registers <= 64);
    CHECK(kernel.static_shared_bytes == (contains(kernel.kernel, "shared") ? 2048 : 0));
  }
  const auto kept = kernel_resources(source, "9.0");
  REQUIRE(kept);
  CHECK(kept->size() == 2);
  CHECK_FALSE(kernel_resources(compiler.files.write("bad.cu", "kernel"), "9.0"));
}
