// Faults planted in CUDA C++ are found in their lines, whichever compiler made the module.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "compile/compile.h"
#include "runtime_expect.h"
#include "scratch.h"

using namespace kernels;

namespace {

std::filesystem::path kernels_folder() {
  return std::filesystem::path(KATA_SOURCE_DIR) / "tests" / "emulator" / "kernels";
}

/// The lines that say what is to be found in them.
std::map<int, std::string> expected_findings(const std::string& name) {
  std::map<int, std::string> result;
  std::ifstream file(kernels_folder() / name);
  const std::string mark = "// finds ";
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    const std::size_t at = text.find(mark);
    if (at != std::string::npos) result[line] = text.substr(at + mark.size());
  }
  return result;
}

std::map<int, std::string> findings_of(const std::string& name, const std::string& compiler) {
  setenv("KATA_EMULATOR_CXX", compiler.c_str(), 1);
  const kata::test::Scratch cache;
  setenv("KATA_CACHE", cache.path().c_str(), 1);
  const auto module = kata::compile({.source = kernels_folder() / name});
  unsetenv("KATA_EMULATOR_CXX");
  REQUIRE_MESSAGE(module, module.error().message << "\n" << module.error().detail);
  void* handle = dlopen(module->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(handle, dlerror());
  std::map<int, std::string> result;
  for (const std::string& function : module->functions) {
    if (function.rfind("plant_", 0) != 0) continue;
    CAPTURE(function);
    const Fresh fresh;
    reinterpret_cast<void (*)()>(dlsym(handle, function.c_str()))();
    const auto findings = kata::emulator::take_findings();
    CHECK(findings.size() == 1);
    for (const Finding& finding : findings) {
      CHECK(std::filesystem::path(finding.file).filename() == name);
      result[finding.line] = finding.kind;
    }
  }
  return result;
}

void finds_all_planted(const std::string& name, std::size_t at_least) {
  const auto expected = expected_findings(name);
  CHECK(expected.size() >= at_least);
  for (const std::string compiler : {"g++", "clang++"}) {
    CAPTURE(compiler);
    CHECK(findings_of(name, compiler) == expected);
  }
}

}  // namespace

TEST_CASE("planted faults are found in their lines") {
  finds_all_planted("planted.cu", 11);
}

TEST_CASE("planted faults of asynchronous copies are found in their lines") {
  finds_all_planted("planted_async.cu", 9);
}

TEST_CASE("planted faults of inline PTX are found at the asm statement's line") {
  finds_all_planted("planted_ptx.cu", 7);
}
