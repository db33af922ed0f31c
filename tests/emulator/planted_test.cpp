// Faults planted in CUDA C++ are found in their lines, and nothing is found where there is none,
// with both compilers, in each order of threads, on one OS thread and on two.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "compile/compile.h"
#include "compilers.h"
#include "emulator/tests/runtime/several_devices.h"
#include "own_cache.h"
#include "support/process.h"

using namespace kernels;
using kata::emulator::Options;
using kata::emulator::Schedule;

namespace {

struct Fault {
  std::string file, kind;
  int line = 0;
  std::string words = {};  ///< of the message
};

std::vector<std::filesystem::path> sources(const char* folder) {
  std::set<std::filesystem::path> result;
  const auto path = std::filesystem::path(KATA_SOURCE_DIR) / "tests" / "emulator" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() == ".cu") result.insert(entry.path());
  }
  return {result.begin(), result.end()};
}

/// By function, from the comments `HERE kind name` or `HERE kind name: words`.
std::map<std::string, Fault> faults_of(const std::filesystem::path& source) {
  std::map<std::string, Fault> result;
  std::ifstream file(source);
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    const std::size_t at = text.find("// HERE ");
    if (at == std::string::npos) continue;
    std::istringstream words(text.substr(at + 8));
    std::string kind, name;
    words >> kind >> name;
    Fault fault{source.filename(), kind, line};
    if (name.back() == ':') {
      name.pop_back();
      std::getline(words >> std::ws, fault.words);
    }
    CHECK(result.try_emplace("plant_" + name, fault).second);
  }
  return result;
}

/// A module's functions whose names begin like this.
std::map<std::string, void (*)()> functions(const std::filesystem::path& source,
                                            const std::string& compiler, const char* prefix) {
  setenv("KATA_EMULATOR_CXX", compiler.c_str(), 1);
  const auto module = kata::compile({.source = source});
  unsetenv("KATA_EMULATOR_CXX");
  REQUIRE_MESSAGE(module, module.error().message << "\n" << module.error().detail);
  void* handle = dlopen(module->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(handle, dlerror());
  std::map<std::string, void (*)()> result;
  for (const std::string& name : module->functions) {
    if (name.rfind(prefix, 0) == 0)
      result[name] = reinterpret_cast<void (*)()>(dlsym(handle, name.c_str()));
  }
  return result;
}

std::vector<kernels::Finding> findings_of(void (*function)(), const Options& options,
                                          int devices = 1) {
  const Devices fresh(devices);
  kata::emulator::configure(options);
  function();
  cudaDeviceSynchronize();
  return kata::emulator::take_findings();
}

template <class Check>
void in_every_way(const char* folder, const char* prefix, const Check& check) {
  kata::test::use_own_cache();
  for (const std::string& compiler : kata::test::compilers()) {
    for (const auto& source : sources(folder)) {
      for (const auto& [of_kernel, function] : functions(source, compiler, prefix)) {
        const std::string name = of_kernel;  // CAPTURE takes no structured binding
        for (const auto schedule : {Schedule::forward, Schedule::reverse, Schedule::random}) {
          for (const unsigned threads : {1u, 2u}) {
            CAPTURE(compiler);
            CAPTURE(name);
            CAPTURE(static_cast<int>(schedule));
            CAPTURE(threads);
            check(name, function,
                  Options{.threads = threads,
                          .schedule = schedule,
                          .schedule_seed = 7,
                          .count_requests = threads > 1});
          }
        }
      }
    }
  }
}

/// Of several devices each launch has one OS thread in any case.
bool is_repetition(int devices, const Options& options) {
  return devices > 1 && options.threads > 1;
}

void finds_planted(const char* folder, std::size_t least, std::set<Schedule> schedules,
                   int devices = 1) {
  std::map<std::string, Fault> faults;
  for (const auto& source : sources(folder)) faults.merge(faults_of(source));
  CHECK(faults.size() >= least);
  std::set<std::string> seen;
  in_every_way(folder, "plant_",
               [&](const std::string& name, void (*function)(), const Options& options) {
                 if (!schedules.contains(options.schedule)) return;
                 if (is_repetition(devices, options)) return;
                 seen.insert(name);
                 const Fault& fault = faults[name];
                 const auto findings = findings_of(function, options, devices);
                 CHECK(!findings.empty());
                 for (const kernels::Finding& finding : findings) {
                   CAPTURE(finding.message);
                   CHECK(to_string(finding.kind) == fault.kind);
                   CHECK(finding.line == fault.line);
                   CHECK(contains(finding.message + ": " + finding.note, fault.words));
                   CHECK(std::filesystem::path(finding.file).filename() == fault.file);
                 }
               });
  CHECK(seen.size() == faults.size());
}

void finds_nothing(const char* folder, std::size_t least, int devices = 1) {
  std::set<std::string> seen;
  in_every_way(folder, "silent_",
               [&](const std::string& name, void (*function)(), const Options& options) {
                 if (is_repetition(devices, options)) return;
                 seen.insert(name);
                 for (const kernels::Finding& finding : findings_of(function, options, devices)) {
                   FAIL_CHECK(to_string(finding.kind)
                              << " in line " << finding.line << ": " << finding.message);
                 }
               });
  CHECK(seen.size() >= least);
}

}  // namespace

TEST_CASE("planted faults are found in their lines, and nothing else is") {
  finds_planted("planted", 30, {Schedule::forward, Schedule::reverse, Schedule::random});
}

TEST_CASE("nothing is found in kernels that are right") {
  finds_nothing("silent", 15);
}

TEST_CASE("kernels of several devices that wait for each other end, and nothing is found") {
  finds_nothing("silent_devices", 8, 2);
  finds_nothing("silent_devices", 8, 4);
}

TEST_CASE("planted faults of kernels on two devices are found in their lines") {
  finds_planted("planted_devices", 16, {Schedule::forward, Schedule::reverse, Schedule::random}, 2);
}

TEST_CASE("a texture that is never destroyed is one leak, at the line that created it") {
  std::map<std::string, Fault> faults;
  for (const auto& source : sources("leaks")) faults.merge(faults_of(source));
  CHECK(faults.size() >= 2);
  std::set<std::string> seen;
  in_every_way("leaks", "plant_",
               [&](const std::string& name, void (*function)(), const Options& options) {
                 seen.insert(name);
                 const Fault& fault = faults[name];
                 const Fresh fresh;
                 kata::emulator::configure(options);
                 function();
                 const auto leaks = kata::emulator::take_leaks();
                 REQUIRE(leaks.size() == 1);
                 CHECK(leaks[0].kind == kata::emulator::ObjectKind::texture);
                 CHECK(leaks[0].count == std::stoul(fault.words));
                 CHECK(leaks[0].line == fault.line);
                 CHECK(std::filesystem::path(leaks[0].file).filename() == fault.file);
                 CHECK(kata::emulator::take_leaks().empty());
                 CHECK(kata::emulator::take_findings().empty());
               });
  CHECK(seen.size() == faults.size());
}

TEST_CASE("nothing leaks where all is freed, the device is reset, or a static keeps the memory") {
  std::set<std::string> seen;
  in_every_way("leaks", "silent_",
               [&](const std::string& name, void (*function)(), const Options& options) {
                 seen.insert(name);
                 const Fresh fresh;
                 kata::emulator::configure(options);
                 function();
                 CHECK(kata::emulator::take_leaks().empty());
                 CHECK(kata::emulator::take_findings().empty());
               });
  CHECK(seen.size() == 3);
}

TEST_CASE("a block that waits for one that the device has no room for is a deadlock, in its line") {
  finds_planted("planted_forward", 2, {Schedule::forward});
}
