// Where nvcc is: all that a person may time on a GPU compiles for one, by the way that candidates
// take. No GPU is needed.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "compile/compile.h"
#include "compile/toolchain.h"
#include "scratch.h"

namespace fs = std::filesystem;

namespace {

bool nvcc_is_here() {
  return !kata::find_cuda_tool("nvcc").empty();
}

std::set<fs::path> candidates(const char* folder) {
  std::set<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(KATA_SOURCE_DIR) / folder)) {
    if (entry.path().extension() == ".cu") found.insert(entry.path());
  }
  return found;
}

/// The toolkit brings cuBLAS and CUB; cuDNN comes by itself.
constexpr bool cudnn_is_here =
#if __has_include(<cudnn.h>) || __has_include("/usr/local/cuda/include/cudnn.h")
    true;
#else
    false;
#endif

void compiles_for_a_gpu(const fs::path& source) {
  CAPTURE(source);
  if (source.stem() == "library_cudnn" && !cudnn_is_here) return;
  const auto module =
      kata::compile({.source = source, .backend = kata::Backend::gpu, .compute_capability = "9.0"});
  if (!module) FAIL_CHECK(module.error().message << "\n" << module.error().detail);
}

}  // namespace

TEST_CASE("every rung and every library's file compiles for a GPU") {
  if (!nvcc_is_here()) return;
  const kata::test::Scratch cache;
  setenv("KATA_CACHE", cache.path().c_str(), 1);
  const std::set<fs::path> all = candidates("solutions");
  CHECK(all.size() >= 30);
  for (const fs::path& source : all) compiles_for_a_gpu(source);
}

TEST_CASE("every stub, and the kernels that measure the limits, compile for a GPU") {
  if (!nvcc_is_here()) return;
  const kata::test::Scratch cache;
  setenv("KATA_CACHE", cache.path().c_str(), 1);
  std::set<fs::path> all;
  for (const fs::path& source : candidates("exercises")) {
    if (source.filename() == ".stub.cu") all.insert(source);
  }
  CHECK(all.size() >= 10);
  for (const fs::path& source : all) compiles_for_a_gpu(source);
  compiles_for_a_gpu(fs::path(KATA_SOURCE_DIR) / "harness" / "timing" / "ceilings.cu");
}
