// What the emulator counts beside what Nsight Compute counted on an H200, launch by launch.
//
// h200_patterns.csv: patterns.cu on an NVIDIA H200; docs/fidelity.md has the command.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>

#include "compile/compile.h"
#include "emulator/emulator.h"
#include "fidelity/measured.h"
#include "scratch.h"

using namespace kata;
using namespace kata::test;

namespace {

std::vector<Counters> measured() {
  std::vector<Counters> launches;
  for (const Row& row : read_table("h200_patterns.csv")) launches.push_back(counters_of(row));
  return launches;
}

std::vector<KernelRecord> emulated(const std::string& compiler) {
  static const Scratch cache;
  setenv("KATA_CACHE", cache.path().c_str(), 1);
  setenv("KATA_EMULATOR_CXX", compiler.c_str(), 1);
  const Result<Module> module = compile({.source = fidelity_folder / "patterns.cu"});
  unsetenv("KATA_EMULATOR_CXX");
  if (!module) FAIL(module.error().message << "\n" << module.error().detail);
  void* handle = dlopen(module->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) FAIL(std::string(dlerror()));
  void* launch_all = dlsym(handle, "launch_all");
  REQUIRE(launch_all);
  emulator::configure({.count_requests = true});
  CHECK(reinterpret_cast<int (*)()>(launch_all)() == 0);
  emulator::configure({});
  for (const Finding& finding : emulator::take_findings()) {
    // The histogram adds to words that it has not set, and some patterns write one word from many
    // lanes: values are nobody's concern here.
    if (finding.kind != "uninitialized" && finding.kind != "race") FAIL_CHECK(finding.message);
  }
  return emulator::take_kernels();
}

}  // namespace

TEST_CASE("the counters of 251 address patterns are those of an H200") {
  const std::vector<Counters> device = measured();
  REQUIRE(device.size() == 251);
  for (const std::string compiler : {"g++", "clang++"}) {
    CAPTURE(compiler);
    const std::vector<KernelRecord> kernels = emulated(compiler);
    REQUIRE(kernels.size() == device.size());
    for (std::size_t i = 0; i < device.size(); ++i) {
      CAPTURE(i);
      CAPTURE(kernels[i].name);
      for (const auto& one : counters_of(kernels[i])) {
        const std::string& counter = one.first;
        CAPTURE(counter);
        CHECK(one.second == device[i].at(counter));
      }
    }
  }
}
