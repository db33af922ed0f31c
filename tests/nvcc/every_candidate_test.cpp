// Where nvcc is: stubs, candidates for a machine with a GPU, and the kernels that measure the
// limits compile for a GPU, by the way that candidates take. No GPU is needed. `kata test
// <operator>` compiles the rungs.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "compile/compile.h"
#include "compile/toolchain.h"
#include "scratch.h"
#include "skip.h"

namespace fs = std::filesystem;

namespace {

std::set<fs::path> candidates(const char* folder) {
  std::set<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(KATA_SOURCE_DIR) / folder)) {
    if (entry.path().extension() == ".cu") found.insert(entry.path());
  }
  return found;
}

void compiles_for_a_gpu(const fs::path& source) {
  CAPTURE(source);
  const auto module =
      kata::compile({.source = source, .backend = kata::Backend::gpu, .compute_capability = "9.0"});
  if (!module) FAIL_CHECK(module.error().message << "\n" << module.error().detail);
}

}  // namespace

TEST_CASE("stubs, candidates that fake a time and the kernels of the limits compile for a GPU" *
          doctest::test_suite("slow")) {
  if (kata::find_cuda_tool("nvcc").empty()) return kata::test::skip("nvcc is not installed");
  const kata::test::Scratch cache;
  setenv("KATA_CACHE", cache.path().c_str(), 1);
  std::set<fs::path> all;
  for (const fs::path& source : candidates("exercises")) {
    if (source.filename() == ".stub.cu") all.insert(source);
  }
  for (const fs::path& source : candidates("tests/gpu/fakes")) all.insert(source);
  REQUIRE_FALSE(all.empty());
  for (const fs::path& source : all) compiles_for_a_gpu(source);
  compiles_for_a_gpu(fs::path(KATA_SOURCE_DIR) / "harness" / "timing" / "ceilings.cu");
}
