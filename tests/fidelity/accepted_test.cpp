// The same of candidates that no rule was made for: unusual right ones, which the judge must
// accept.
//
// h200_accepted.csv: CANDIDATES=tests/accepted tests/gpu/run_all.sh build emulated fidelity
#include <doctest/doctest.h>

#include "fidelity/comparison.h"

using namespace kata;
using namespace kata::test;

TEST_CASE("counters of kernels that no rule was made for are those of an H200, or explained" *
          doctest::test_suite("slow")) {
  const std::vector<Run> runs =
      measured_runs("h200_accepted.csv", fidelity_folder.parent_path() / "accepted");
  REQUIRE_FALSE(runs.empty());
  setenv("KATA_CACHE", KATA_BINARY_DIR "/cache", 1);
  check_explained(compare_all(runs), explained_candidates);
}
