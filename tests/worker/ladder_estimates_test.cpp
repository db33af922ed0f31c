// How long a person waits for the estimates of a ladder.
#include <doctest/doctest.h>

#include "grading/estimates.h"

using namespace kata;

namespace {

std::vector<Estimate> estimates_within(double limit_s, const Shape& shape) {
  const Result<Chip> chip = find_chip("h200");
  REQUIRE(chip);
  return estimate_ladder(*find_problem("relu"), shape, *chip, nullptr, limit_s, {});
}

}  // namespace

TEST_CASE("when the ladder's time is over, each rung that is still to be profiled says so") {
  const std::vector<Estimate> rows = estimates_within(0, {123457});
  REQUIRE_FALSE(rows.empty());
  for (const Estimate& row : rows) {
    CHECK(row.us == 0);
    CHECK(row.error.find("s for estimates are over") != std::string::npos);
  }
}

TEST_CASE("rungs whose profile is kept are estimated at once") {
  const std::vector<Estimate> rows = estimates_within(0, find_problem("relu")->bench_shapes[0]);
  REQUIRE_FALSE(rows.empty());
  for (const Estimate& row : rows) CHECK(row.us > 0);
}
