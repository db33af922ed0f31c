// The times that are kept with each ladder.
#include "timing/measured_times.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

#include "scratch.h"
#include "support/paths.h"

using namespace kata;

TEST_CASE("rates follow from the kept time; sizes that are not benched are left out") {
  const test::Scratch scratch;
  scratch.write("solutions/relu/times.csv",
                "# NVIDIA T4, driver 1.2, CUDA 13.0, 2026-01-02: kata bench relu\n"
                "size,name,median_us,iqr_us,samples,of_limit\n"
                "16777216,1_thread_per_element,200.0,1.5,40,0.52\n"
                "16777216,thrust,190.0,1.5,40,0.55\n"
                "16777216,limit (copy),100.0,0.5,30,1.00\n"
                "12345,1_thread_per_element,2.0,1.5,40,0.50\n");
  const char* const old_root = std::getenv("KATA_ROOT");
  const std::string before = old_root ? old_root : "";
  setenv("KATA_ROOT", scratch.path().c_str(), 1);
  const Result<MeasuredTimes> kept = measured_times(*find_problem("relu"));
  const Result<MeasuredTimes> none = measured_times(*find_problem("add"));
  old_root ? setenv("KATA_ROOT", before.c_str(), 1) : unsetenv("KATA_ROOT");
  REQUIRE(kept);
  CHECK(kept->device == "NVIDIA T4");
  CHECK(kept->date == "2026-01-02");
  REQUIRE(kept->rows.size() == 3);
  CHECK(kept->rows[0].kind == RowKind::rung);
  CHECK(kept->rows[1].kind == RowKind::library);
  CHECK(kept->rows[2].kind == RowKind::limit);
  CHECK(kept->rows[0].gb_per_s == doctest::Approx(8.0 * 16777216 / 200e-6 / 1e9));
  CHECK(kept->rows[0].of_limit == 0.52);
  CHECK(kept->rows[0].iqr_us == 1.5);
  CHECK_FALSE(none);
}
