// The times that are kept with each ladder.
#include "timing/kept.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

#include "scratch.h"
#include "support/paths.h"

using namespace kata;

namespace {

/// The files that a folder's ladder and libraries are made of.
std::set<std::string> contestants_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() != ".cu") continue;
    names.insert(stem.starts_with("library_") ? stem.substr(8) : stem);
  }
  return names;
}

}  // namespace

TEST_CASE("kept times belong to a file of the ladder, and each size ends with its limit") {
  for (const Problem& problem : problems()) {
    CAPTURE(problem.name);
    const std::set<std::string> timed = contestants_in(solutions(problem.name));
    if (!std::filesystem::exists(solutions(problem.name) / "times.csv")) {
      MESSAGE(problem.name << ": not measured");
      continue;
    }
    const Result<KeptTimes> kept = kept_times(problem);
    REQUIRE(kept);
    CHECK(kept->device.starts_with("NVIDIA "));
    CHECK(kept->date.size() == 10);
    for (const TimingRow& row : kept->rows) {
      CAPTURE(row.name);
      CHECK((row.name.starts_with("limit") || timed.contains(row.name)));
      CHECK(row.median_us > 0);
    }
    for (const Shape& shape : problem.bench_shapes) {
      const std::string size = to_string(shape);
      CAPTURE(size);
      const std::vector<TimingRow> rows = rows_at(kept->rows, size);
      for (const std::string& name : timed) {
        const TimingRow* const row = find_row(rows, name);
        if (!row) MESSAGE(problem.name << " " << name << " at " << size << ": not measured");
        if (row) CHECK(row->samples > 0);
      }
      if (rows.empty()) continue;
      CHECK(rows.back().name.starts_with("limit"));
      CHECK(rows.back().of_limit == 1);
    }
  }
}

TEST_CASE("rates follow from the kept time; sizes that nobody benches are left out") {
  const test::Scratch scratch;
  scratch.write("solutions/relu/times.csv",
                "# NVIDIA T4, driver 1.2, CUDA 13.0, 2026-01-02: kata bench relu\n"
                "size,name,median_us,iqr_us,samples,of_limit\n"
                "16777216,1_thread_per_element,200.0,1.5,40,0.52\n"
                "16777216,limit (copy),100.0,0.5,30,1.00\n"
                "12345,1_thread_per_element,2.0,1.5,40,0.50\n");
  const char* const old_root = std::getenv("KATA_ROOT");
  const std::string before = old_root ? old_root : "";
  setenv("KATA_ROOT", scratch.path().c_str(), 1);
  const Result<KeptTimes> kept = kept_times(*find_problem("relu"));
  const Result<KeptTimes> none = kept_times(*find_problem("add"));
  old_root ? setenv("KATA_ROOT", before.c_str(), 1) : unsetenv("KATA_ROOT");
  REQUIRE(kept);
  CHECK(kept->device == "NVIDIA T4");
  CHECK(kept->date == "2026-01-02");
  REQUIRE(kept->rows.size() == 2);
  CHECK(kept->rows[0].gb_per_s == doctest::Approx(8.0 * 16777216 / 200e-6 / 1e9));
  CHECK(kept->rows[0].of_limit == 0.52);
  CHECK(kept->rows[0].iqr_us == 1.5);
  CHECK_FALSE(none);
}
