// What the emulator counts beside what Nsight Compute counted on an H200, or on an H100, which has
// the same multiprocessors, for every launch of every rung in the emulator's cases.
//
// The tables: tests/gpu/run_all.sh build emulated fidelity; docs/fidelity.md has the summary.
#include <doctest/doctest.h>

#include <set>

#include "fidelity/comparison.h"
#include "support/paths.h"

namespace fs = std::filesystem;
using namespace kata;
using namespace kata::test;

namespace {

std::vector<Run> measured_rungs() {
  std::vector<Run> runs = measured_runs("h200_ladder.csv", solutions("").parent_path());
  const std::vector<Run> newer = measured_runs("h100_ladder.csv", solutions("").parent_path());
  runs.insert(runs.end(), newer.begin(), newer.end());
  return runs;
}

}  // namespace

TEST_CASE("every rung's counters are those of an H200, but for differences that are explained" *
          doctest::test_suite("slow")) {
  const std::vector<Run> runs = measured_rungs();
  REQUIRE_FALSE(runs.empty());
  setenv("KATA_CACHE", KATA_BINARY_DIR "/cache", 1);  // kata's own: the modules are there, mostly
  check_explained(compare_all(runs), explained_rungs);
}

TEST_CASE("every measured rung still exists; rungs that were not measured are named" *
          doctest::test_suite("slow")) {
  std::set<std::string> measured;
  for (const Run& run : measured_rungs()) measured.insert(run.name());
  for (const std::string& rung : measured) {
    CAPTURE(rung);
    CHECK(fs::exists(solutions("").parent_path() / (rung + ".cu")));
  }
  for (const auto& entry : fs::recursive_directory_iterator(solutions("").parent_path())) {
    const fs::path file = entry.path();
    if (file.extension() != ".cu" || file.stem().string().starts_with("library_")) continue;
    const std::string rung = file.parent_path().filename() / file.stem();
    if (!measured.contains(rung)) MESSAGE("not measured: " << rung);
  }
}
