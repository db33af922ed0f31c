// The times of a ladder that a check takes over from an earlier one.

#include <doctest/doctest.h>

#include "grading/kept_times.h"
#include "grading/ladder.h"
#include "own_cache.h"

using namespace kata;
using kata::test::use_own_cache;

namespace {

TimingRow row(RowKind kind, const std::string& name, double us) {
  return {.kind = kind, .name = name, .size = "1024", .median_us = us, .samples = 10};
}

std::vector<TimingRow> rows() {
  return {row(RowKind::yours, "yours", 3), row(RowKind::rung, "1_first", 4),
          row(RowKind::limit, "limit (copy)", 2)};
}

}  // namespace

TEST_CASE("the times of a ladder are kept without yours, for the same code on the same GPU alone") {
  use_own_cache();
  const Problem& relu = *find_problem("relu");
  keep_times(relu, {1024}, "key", rows());
  const auto kept = kept_times(relu, {1024}, "key");
  REQUIRE(kept);
  CHECK(kept->date.size() == 10);
  REQUIRE(kept->rows.size() == 2);
  CHECK(kept->rows[0].name == "1_first");
  CHECK(kept->rows[0].median_us == 4);
  CHECK(kept->rows[1].kind == RowKind::limit);
  CHECK_FALSE(kept_times(relu, {1024}, "another key"));
  CHECK_FALSE(kept_times(relu, {2048}, "key"));
}

TEST_CASE("a ladder with a row that has no time is measured again the next time") {
  use_own_cache();
  std::vector<TimingRow> broken = rows();
  broken[1].error = "not timed";
  keep_times(*find_problem("add"), {1024}, "key", broken);
  CHECK_FALSE(kept_times(*find_problem("add"), {1024}, "key"));
}

TEST_CASE("a GPU that is slower than it was is no GPU to compare kept times on") {
  const KeptTimes kept{"2026-01-01", {row(RowKind::limit, "limit (copy)", 100)}};
  CHECK(is_as_fast_as_then(kept, row(RowKind::limit, "limit (copy)", 103)));
  CHECK_FALSE(is_as_fast_as_then(kept, row(RowKind::limit, "limit (copy)", 120)));
  CHECK_FALSE(is_as_fast_as_then(kept, row(RowKind::limit, "limit (FFMA)", 100)));
}

TEST_CASE("an edited rung, another GPU and other libraries have other times") {
  const auto key = [](const std::string& gpu, const std::string& module, const std::string& yours) {
    return ladder_key({.kernels = {{RowKind::yours, "yours", yours, "relu"},
                                   {RowKind::rung, "1_first", module, "relu"}}},
                      gpu);
  };
  CHECK(key("H200", "a/1.so", "a/7.so") == key("H200", "a/1.so", "a/8.so"));
  CHECK(key("H200", "a/1.so", "a/7.so") != key("H200", "a/2.so", "a/7.so"));
  CHECK(key("H200", "a/1.so", "a/7.so") != key("H100", "a/1.so", "a/7.so"));
}

TEST_CASE("of relu's rungs the fastest is not the last") {
  const Problem& relu = *find_problem("relu");
  const std::vector<Rung> rungs = ladder("relu");
  CHECK(fastest_rung(relu, rungs).name == "2_several_per_thread");
  Problem unknown;
  unknown.name = "none";
  CHECK(fastest_rung(unknown, rungs).name == rungs.back().name);
}
