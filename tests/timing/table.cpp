#include "timing/table.h"

#include <doctest/doctest.h>

using namespace kata;

namespace {

const Limit least = {.name = "limit (copy)", .us = 100, .iqr_us = 2, .samples = 50};
const Cost cost = {.bytes_read = 200e6, .bytes_written = 200e6, .operations = 100e6};

}  // namespace

TEST_CASE("the table has a row for each kernel and the limit as the last one") {
  const auto rows =
      table({{RowKind::yours, "yours", {200, 210, 190}}, {RowKind::rung, "1_naive", {400}}},
            "1024x1024", cost, least);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name == "yours");
  CHECK(rows[1].name == "1_naive");
  CHECK(rows[2].name == "limit (copy)");
  CHECK(rows[2].kind == RowKind::limit);
  for (const TimingRow& row : rows) CHECK(row.size == "1024x1024");
}

TEST_CASE("a row gives bandwidth, rate, share of the limit and the ratio to yours") {
  const auto rows =
      table({{RowKind::yours, "yours", {200, 210, 190}}, {RowKind::rung, "1_naive", {400}}}, "n",
            cost, least);
  CHECK(rows[0].median_us == doctest::Approx(200));
  CHECK(rows[0].iqr_us == doctest::Approx(10));
  CHECK(rows[0].samples == 3);
  CHECK(rows[0].gb_per_s == doctest::Approx(2000));
  CHECK(rows[0].tflop_per_s == doctest::Approx(0.5));
  CHECK(rows[0].of_limit == doctest::Approx(0.5));
  CHECK(rows[0].vs_yours == doctest::Approx(1));
  CHECK(rows[1].vs_yours == doctest::Approx(2));
  CHECK(rows[2].median_us == doctest::Approx(100));
  CHECK(rows[2].of_limit == doctest::Approx(1));
  CHECK(rows[2].vs_yours == doctest::Approx(0.5));
  CHECK(rows[2].iqr_us == doctest::Approx(2));
  CHECK(rows[2].samples == 50);
}

TEST_CASE("without a file of yours there is no ratio to it") {
  const auto rows = table({{RowKind::rung, "1_naive", {400}}}, "n", cost, least);
  CHECK(rows[0].vs_yours == 0);
  CHECK(rows[1].vs_yours == 0);
}

TEST_CASE("a kernel that failed has its reason and no numbers") {
  const auto rows =
      table({{RowKind::yours, "yours", {}, "it stopped"}, {RowKind::rung, "1_naive", {400}}}, "n",
            cost, least);
  CHECK(rows[0].error == "it stopped");
  CHECK(rows[0].median_us == 0);
  CHECK(rows[0].of_limit == 0);
  CHECK(rows[1].vs_yours == 0);
  CHECK(rows[1].median_us == 400);
}

TEST_CASE("times under ten microseconds are marked as launch-bound") {
  const Cost small = {.bytes_read = 4e6, .bytes_written = 4e6, .operations = 1e6};
  const Limit quick = {.name = "limit (copy)", .us = 2};
  const auto rows = table({{RowKind::yours, "yours", {9.9}}, {RowKind::rung, "1_naive", {10.1}}},
                          "n", small, quick);
  CHECK(rows[0].launch_bound);
  CHECK_FALSE(rows[1].launch_bound);
  CHECK(rows[2].launch_bound);
}

TEST_CASE("without a limit there is no row for it and no share of it") {
  const auto rows = table({{RowKind::rung, "1_naive", {400}}}, "n", cost, {});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].of_limit == 0);
}
