#pragma once
// The launches of a fixture in kernels/, with their requests counted.

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "emulator/tests/runtime/kernels.h"
#include "own_cache.h"

namespace kata::test {

inline std::filesystem::path fixture_path(const std::string& name) {
  return std::filesystem::path(KATA_SOURCE_DIR) / "tests" / "emulator" / "kernels" / name;
}

inline std::vector<kata::emulator::KernelRecord> run_counted(
    const std::string& name, const std::string& compiler, const kata::emulator::Options& options) {
  use_own_cache();
  setenv("KATA_EMULATOR_CXX", compiler.c_str(), 1);
  const kata::Result<kata::Module> module = kata::compile({.source = fixture_path(name)});
  unsetenv("KATA_EMULATOR_CXX");
  if (!module) FAIL(module.error().message << "\n" << module.error().detail);
  void* handle = dlopen(module->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) FAIL(std::string(dlerror()));
  void* entry = dlsym(handle, "run_fixture");
  REQUIRE(entry);
  const auto fixture = reinterpret_cast<int (*)(void (*)(const char*, int))>(entry);
  const kernels::Fresh fresh;
  kata::emulator::configure(options);
  fixture([](const char* text, int) { FAIL_CHECK(std::string(text)); });
  for (const kata::emulator::Finding& finding : kata::emulator::take_findings())
    FAIL_CHECK(finding.message);
  return kata::emulator::take_kernels();
}

}  // namespace kata::test
