// What the emulator counts beside what Nsight Compute counted on an H200, for every launch of every
// rung in the emulator's cases.
//
// h200_ladder.csv: tests/gpu/run_all.sh build emulated fidelity; docs/fidelity.md has the table.
#include <doctest/doctest.h>

#include <set>

#include "fidelity/comparison.h"
#include "support/paths.h"

using namespace kata;
using namespace kata::test;

namespace {

/// Rungs that are newer than the measured table, by how their names begin; one that has changed
/// since leaves the table for here. Empty it when the table is measured again: a rung that is
/// neither here nor there fails the test, and so does one that is in both.
const std::vector<std::string> not_measured;

std::vector<Run> measured_rungs() {
  return measured_runs("h200_ladder.csv", solutions("").parent_path());
}

}  // namespace

TEST_CASE("every rung's counters are those of an H200, but for differences that are explained") {
  const std::vector<Run> runs = measured_rungs();
  REQUIRE_FALSE(runs.empty());
  setenv("KATA_CACHE", KATA_BINARY_DIR "/cache", 1);  // kata's own: the modules are there, mostly
  check_explained(compare_all(runs), explained_rungs);
}

TEST_CASE("every rung has been measured, or is named as one that has not") {
  std::set<std::string> measured;
  for (const Run& run : measured_rungs()) measured.insert(run.name());
  std::size_t rungs = 0;
  for (const auto& folder : std::filesystem::directory_iterator(solutions("").parent_path())) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      const std::string stem = file.path().stem().string();
      if (file.path().extension() != ".cu" || stem.rfind("library_", 0) == 0) continue;
      const std::string rung = folder.path().filename().string() + "/" + stem;
      const bool exempt =
          std::any_of(not_measured.begin(), not_measured.end(),
                      [&](const std::string& start) { return rung.rfind(start, 0) == 0; });
      CAPTURE(rung);
      CHECK(exempt != (measured.count(rung) == 1));
      ++rungs;
    }
  }
  CHECK(rungs >= measured.size());
}
