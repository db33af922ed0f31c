// Estimated times, as a person reads them and as --json has them.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/text/tables.h"
#include "scratch.h"

using namespace kata;
using kata::test::contains;

namespace {

Report estimated() {
  Report report;
  report.chip = "T4";
  report.estimates = {{.kind = RowKind::yours,
                       .name = "yours",
                       .chip = "t4",
                       .size = "4096",
                       .us = 30,
                       .limiter = "latency",
                       .occupancy = 0.5,
                       .extrapolated_from = "256"},
                      {.name = "1_naive",
                       .chip = "t4",
                       .size = "4096",
                       .us = 20,
                       .limiter = "device memory",
                       .occupancy = 1},
                      {.name = "2_better", .chip = "t4", .size = "4096", .error = "it hangs"}};
  return report;
}

}  // namespace

TEST_CASE("estimates say what they are, what limits each row, and what could not be estimated") {
  const std::string table = estimates_tables(estimated(), false, true);
  CAPTURE(table);
  CHECK(contains(table, "4096 estimated for T4, not measured"));
  CHECK(contains(table, "~30.0    >=1.50 x       50 %  latency\n"));
  CHECK(contains(table, "~ scaled up from a run in the emulator at 256\n"));
  CHECK(contains(table, "2_better                  no estimate: it hangs"));
  CHECK(estimates_tables({}, false, true) == "");
}

TEST_CASE("no row is said to be as good as the best while a rung has no estimate") {
  Report report = estimated();
  const std::string table = estimates_tables(report, false, true);
  CAPTURE(table);
  CHECK(contains(table, "20.0    >=1.00 x      100 %  device memory"));
  CHECK(contains(table, "  >=: at least. 1 of 2 rungs without an estimate: 2_better.\n"));

  report.cases = {{.name = "4096 normal"}};
  report.estimates[2].pending = true;
  const std::string of_a_check = estimates_tables(report, false, false);
  CAPTURE(of_a_check);
  CHECK(contains(of_a_check, "2_better (-v says why). The\n  same command again"));

  report.estimates[1].us = 0;
  const std::string alone = estimates_tables(report, false, true);
  CAPTURE(alone);
  CHECK(contains(alone, "~30.0           -       50 %  latency\n"));
  CHECK(contains(alone, "No rung has an estimate at this size."));

  report.estimates[1].us = 20;
  report.estimates[1].older = true;
  report.estimates[2].us = 10;
  report.estimates[2].error.clear();
  const std::string complete = estimates_tables(report, false, true);
  CHECK(contains(complete, "~30.0      3.00 x       50 %  latency\n"));
  CHECK_FALSE(contains(complete, ">="));
  CHECK(contains(complete, "*20.0      2.00 x"));
  CHECK(contains(complete, "* as an earlier version of the rung was estimated"));
}

TEST_CASE("of several sizes, a best rung that another may beat is marked") {
  Report report = estimated();
  report.verdict = Verdict::pass;
  report.estimates.push_back({.name = "1_naive", .size = "64", .us = 5});
  const std::string overview = ladder_tables(report, false, false);
  CAPTURE(overview);
  CHECK(contains(overview, "  4096                  30.0     <=20.0  1_naive"));
  CHECK(contains(overview, "  64                       -        5.0  1_naive"));
  CHECK(contains(overview, "<=: a rung whose time is missing may be better"));
}

TEST_CASE("estimates say whose registers their occupancy follows from") {
  Report report = estimated();
  CHECK(contains(estimates_tables(report, false, true), "Register counts unknown"));
  report.estimates[0].registers = 124;
  const std::string some = estimates_tables(report, false, true);
  CAPTURE(some);
  CHECK(contains(some, "(yours: 124 per thread)"));
  CHECK(contains(some, "nvcc does not compile"));
  report.estimates[1].registers = 40;
  const std::string all = estimates_tables(report, false, true);
  CHECK(contains(all, "(yours: 124 per thread)"));
  CHECK_FALSE(contains(all, "nvcc does not compile"));
}

TEST_CASE("each rung that a kernel is level with is marked, or one of many") {
  Report report = estimated();
  report.verdict = Verdict::pass;
  report.estimates.push_back({.name = "4_padded", .size = "4096", .us = 30});
  report.estimates.push_back({.name = "5_swizzled", .size = "4096", .us = 30});
  report.level = {.rung = 5, .of = 5, .name = "5_swizzled", .same = {"4_padded"}};
  const std::string both = estimates_tables(report, false, false);
  CAPTURE(both);
  CHECK(contains(both, "= 4_padded "));
  CHECK(contains(both, "= 5_swizzled "));
  report.level->same = {"1_a", "2_b", "3_c", "4_padded"};
  const std::string one = estimates_tables(report, false, true);
  CHECK(contains(one, "= 5_swizzled "));
  CHECK_FALSE(contains(one, "= 4_padded "));
}

TEST_CASE("estimates in JSON have their chip, size, limiter and origin") {
  const auto json = nlohmann::json::parse(to_json_text(estimated()));
  const auto rows = json.at("estimates");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].at("extrapolated_from") == "256");
  CHECK(rows[1].at("extrapolated_from").is_null());
  CHECK(rows[1].at("us") == 20);
  CHECK(rows[1].at("limiter") == "device memory");
  CHECK(rows[2].at("error") == "it hangs");
  CHECK(rows[0].at("registers").is_null());
  CHECK_FALSE(nlohmann::json::parse(to_json_text({})).contains("estimates"));
}
