#pragma once
// The kernels of this folder, run in the emulator.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "emulator/emulator.h"
#include "fidelity/measured.h"
#include "own_cache.h"

namespace kata::test {

/// The launches of a file in this folder, counted.
inline std::vector<emulator::KernelRecord> emulated(const std::string& file,
                                                    const std::string& compiler) {
  use_own_cache();
  setenv("KATA_EMULATOR_CXX", compiler.c_str(), 1);
  const Result<Module> module = compile({.source = fidelity_folder / file});
  unsetenv("KATA_EMULATOR_CXX");
  if (!module) FAIL(module.error().message << "\n" << module.error().detail);
  void* handle = dlopen(module->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) FAIL(std::string(dlerror()));
  void* launch_all = dlsym(handle, "launch_all");
  REQUIRE(launch_all);
  emulator::configure({.count_requests = true});
  CHECK(reinterpret_cast<int (*)()>(launch_all)() == 0);
  emulator::configure({});
  for (const emulator::Finding& finding : emulator::take_findings()) {
    // The histogram adds to words that it has not set, and some patterns write one word from many
    // lanes: values do not matter here.
    if (finding.kind != emulator::FindingKind::uninitialized &&
        finding.kind != emulator::FindingKind::race)
      FAIL_CHECK(finding.message);
  }
  return emulator::take_kernels();
}

}  // namespace kata::test
