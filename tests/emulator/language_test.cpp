// CUDA C++ on the emulator: the fixtures in kernels/, compiled with both compilers and run.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "compile/compile.h"
#include "compile/elf.h"
#include "compilers.h"
#include "emulator/emulator.h"
#include "own_cache.h"

using namespace kata;

namespace {

using Fixture = int (*)(void (*report)(const char* text, int line));

std::filesystem::path kernels() {
  return std::filesystem::path(KATA_SOURCE_DIR) / "tests" / "emulator" / "kernels";
}

void report_failure(const char* text, int line) {
  FAIL_CHECK("line " << line << ": " << std::string(text));
}

/// Compiles and runs one fixture; what the emulator noticed.
std::vector<emulator::Finding> run_fixture(const std::string& name) {
  test::use_own_cache();
  const Result<Module> module = compile({.source = kernels() / name});
  if (!module) FAIL(module.error().message << "\n" << module.error().detail);
  void* handle = dlopen(module->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) FAIL(std::string(dlerror()));
  void* entry = dlsym(handle, "run_fixture");
  REQUIRE(entry);
  const auto fixture = reinterpret_cast<Fixture>(entry);
  emulator::take_findings();
  CHECK(fixture(report_failure) > 0);
  return emulator::take_findings();
}

template <class Check>
void with_both_compilers(const Check& check) {
  for (const std::string& compiler : kata::test::compilers()) {
    CAPTURE(compiler);
    setenv("KATA_EMULATOR_CXX", compiler.c_str(), 1);
    check();
  }
  unsetenv("KATA_EMULATOR_CXX");
}

/// A fixture of right code: every expectation holds, and the emulator finds no fault in it.
void holds(const std::string& name) {
  with_both_compilers([&] {
    for (const emulator::Finding& finding : run_fixture(name)) {
      FAIL_CHECK(to_string(finding.kind) << " at line " << finding.line << ": " << finding.message);
    }
  });
}

/// What the module of a fixture calls in the runtime.
std::vector<std::string> needed_with_gcc(const std::string& name) {
  test::use_own_cache();
  setenv("KATA_EMULATOR_CXX", "g++", 1);
  const Result<Module> module = compile({.source = kernels() / name});
  unsetenv("KATA_EMULATOR_CXX");
  if (!module) FAIL(module.error().message);
  return read_dynamic_symbols(module->path).undefined;
}

}  // namespace

TEST_CASE("kernels are launched in every way that CUDA has") {
  holds("launches.cu");
}

TEST_CASE("shared memory can be declared in every way that CUDA has") {
  with_both_compilers([] {
    const std::vector<emulator::Finding> findings = run_fixture("shared.cu");
    // its last launch asks for more than it may have, to see CUDA's error
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == emulator::FindingKind::invalid_launch);
  });
}

TEST_CASE("warp functions do what the programming guide says, for every type") {
  holds("warp.cu");
}

TEST_CASE("atomic functions work on every type and convert as under nvcc") {
  holds("atomics.cu");
}

TEST_CASE("intrinsics and mathematics give the values that one can work out") {
  holds("intrinsics.cu");
}

TEST_CASE("vector types and device variables") {
  holds("vectors.cu");
}

TEST_CASE("a vector is one access of its full width, as on the device") {
  with_both_compilers([] {
    emulator::take_kernels();
    run_fixture("widths.cu");
    struct Width {
      const char* kernel;
      std::uint64_t loaded, stored;  // bytes by each of 32 threads
    };
    const std::vector<Width> widths{
        {"copy4", 16, 16}, {"add4", 16, 16}, {"registers4", 16, 4}, {"one_of4", 16, 4},
        {"copy2", 16, 16}, {"halves", 4, 4}, {"parts", 16, 16},     {"parts_in_memory", 16, 16},
        {"bytes4", 4, 4}};
    const std::vector<emulator::KernelRecord> kernels = emulator::take_kernels();
    REQUIRE(kernels.size() == widths.size());
    for (std::size_t i = 0; i < widths.size(); ++i) {
      CAPTURE(kernels[i].name);
      CHECK(kernels[i].name == widths[i].kernel);
      CHECK(kernels[i].global_load.accesses == 32);
      CHECK(kernels[i].global_load.bytes == 32 * widths[i].loaded);
      CHECK(kernels[i].global_store.accesses == 32);
      CHECK(kernels[i].global_store.bytes == 32 * widths[i].stored);
    }
  });
}

TEST_CASE("half precision has IEEE's bits") {
  holds("half.cu");
}

TEST_CASE("asynchronous copies arrive at the wait, in every way that CUDA has to write them") {
  holds("async_copies.cu");
}

TEST_CASE("inline PTX does what the PTX ISA says") {
  holds("ptx.cu");
}

TEST_CASE("mbarriers count arrivals and bytes, and their phases order what threads do") {
  holds("mbarriers.cu");
}

TEST_CASE("bulk copies arrive with an mbarrier's phase, in their block and in its cluster") {
  holds("bulk_copies.cu");
}

TEST_CASE("boxes of tensors are copied with swizzles, zeros outside, and through a ring") {
  holds("tensor_copies.cu");
}

TEST_CASE("32-bit addresses of shared memory fit a descriptor, and dynamic memory is aligned") {
  holds("shared_window.cu");
}

TEST_CASE(
    "tensor core instructions multiply matrices, with the lanes' elements where PTX has them") {
  holds("matrices.cu");
}

TEST_CASE("bfloat16 rounds to nearest even, and halves and bfloats are added atomically") {
  holds("bfloat16.cu");
}

TEST_CASE("wgmma multiplies matrices of every type from every layout in shared memory") {
  holds("wgmma.cu");
}

TEST_CASE("wmma multiplies fragments of every shape and type, and loads and stores them") {
  holds("wmma.cu");
}

TEST_CASE("blocks wait for each other, as many as the device holds, in every order") {
  for (const auto schedule :
       {emulator::Schedule::forward, emulator::Schedule::reverse, emulator::Schedule::random}) {
    emulator::Options options;
    options.schedule = schedule;
    emulator::configure(options);
    holds("residency.cu");
  }
  emulator::configure({});
}

TEST_CASE("kernels allocate, hand on and free memory, and host code in the same file still does") {
  holds("heap.cu");
}

TEST_CASE("the blocks of a cluster meet, and use each other's shared memory, in every order") {
  for (const auto schedule :
       {emulator::Schedule::forward, emulator::Schedule::reverse, emulator::Schedule::random}) {
    emulator::configure({.schedule = schedule});
    holds("clusters.cu");
  }
  emulator::configure({});
}

TEST_CASE("stores and reductions in another block's shared memory count at its mbarrier") {
  holds("remote.cu");
}

TEST_CASE("warps elect a leader, warpgroups trade registers, and blocks know their cluster") {
  for (const auto schedule :
       {emulator::Schedule::forward, emulator::Schedule::reverse, emulator::Schedule::random}) {
    emulator::configure({.schedule = schedule});
    holds("warpgroups.cu");
  }
  emulator::configure({});
}

TEST_CASE("textures of linear memory give its texels, and 0 outside") {
  holds("textures.cu");
}

TEST_CASE("cooperative groups") {
  holds("groups.cu");
}

TEST_CASE("assert and __trap end the launch with CUDA's error, and a finding at their line") {
  with_both_compilers([] {
    const std::vector<emulator::Finding> findings = run_fixture("stops.cu");
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].line + findings[1].line == 8 + 12);
    for (const emulator::Finding& finding : findings) {
      CHECK(finding.message.find(finding.line == 8 ? "n < 10" : "__trap()") != std::string::npos);
    }
  });
}

TEST_CASE("arrays are read through textures with filters and address modes, and through surfaces") {
  holds("arrays.cu");
}

TEST_CASE("graphs run what was captured or added, and kernels launch kernels") {
  holds("graphs.cu");
}

TEST_CASE(
    "FP8 conversions round to the nearest number of the format, with and without saturation") {
  holds("fp8.cu");
}

TEST_CASE("what the emulator lacks is a finding at its line") {
  with_both_compilers([] {
    std::vector<emulator::Finding> findings = run_fixture("unsupported.cu");
    std::sort(
        findings.begin(), findings.end(),
        [](const emulator::Finding& a, const emulator::Finding& b) { return a.line < b.line; });
    const std::vector<std::pair<int, std::string>> lacking{{6, "tcgen05"},
                                                           {10, "cudaDeviceSynchronize"},
                                                           {30, "textures of mipmapped arrays"},
                                                           {40, "vabsdiff4.u32"}};
    REQUIRE(findings.size() == lacking.size());
    for (std::size_t i = 0; i < lacking.size(); ++i) {
      CHECK(findings[i].kind == emulator::FindingKind::unsupported);
      CHECK(findings[i].line == lacking[i].first);
      CHECK(findings[i].message.find(lacking[i].second) != std::string::npos);
    }
  });
}

TEST_CASE("with g++, most reads of words cost no call") {
  const auto needed = needed_with_gcc("warp.cu");
  CHECK(std::count(needed.begin(), needed.end(), "__tsan_read4") == 0);
  CHECK(std::count(needed.begin(), needed.end(), "__kata_first_read4") == 1);
}
