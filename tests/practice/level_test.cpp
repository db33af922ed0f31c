// Levels: a candidate stands where its counts or its times put it.
#include "grading/level.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "problems/spec/problem.h"
#include "report/json.h"
#include "scratch.h"
#include "support/files.h"
#include "support/process.h"

namespace fs = std::filesystem;
using namespace kata;
using Json = nlohmann::json;

namespace {

Json checked(std::vector<std::string> arguments) {
  const kata::test::Scratch home;
  const std::vector<std::string> options = {"--backend", "emulator", "--json", "--seed", "7"};
  arguments.insert(arguments.begin(), {KATA_BINARY_DIR "/kata", "check"});
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto finished = run(
      {.arguments = arguments, .environment = {{"KATA_HOME", home.path()}}, .time_limit_s = 300});
  REQUIRE(finished);
  const Json report = Json::parse(finished->output, nullptr, false);
  REQUIRE_MESSAGE(report.value("verdict", "") == "pass", finished->output, finished->errors);
  return report;
}

std::vector<Rung> rungs(int count) {
  std::vector<Rung> all;
  for (int i = 1; i <= count; ++i) {
    const std::string number = std::to_string(i);
    all.push_back({.number = i, .name = number + "_rung", .path = {}, .idea = "idea " + number});
  }
  return all;
}

Report timed(double yours_us, const std::vector<double>& rungs_us) {
  Report report;
  report.timing.push_back(
      {.kind = RowKind::yours, .name = "yours", .size = "4", .median_us = yours_us});
  for (std::size_t i = 0; i < rungs_us.size(); ++i) {
    report.timing.push_back(
        {.name = std::to_string(i + 1) + "_rung", .size = "4", .median_us = rungs_us[i]});
  }
  return report;
}

}  // namespace

TEST_CASE("every rung is level with itself, or with one whose counts are the same" *
          doctest::test_suite("slow")) {
  std::size_t placed = 0;
  for (const Problem& problem : problems()) {
    const std::vector<Rung> all = ladder(problem.name);
    const Json report = checked({problem.name, "--solution", "1"});
    const auto rows = report["counts"].get<std::vector<CountRow>>();
    REQUIRE(rows.size() == all.size() + 1);
    for (const Rung& rung : all) {
      CAPTURE(problem.name);
      CAPTURE(rung.name);
      Report as_yours;
      as_yours.counts = rows;
      as_yours.counts[0] = rows[static_cast<std::size_t>(rung.number)];
      as_yours.counts[0].kind = RowKind::yours;
      const auto level = level_of(as_yours, all);
      REQUIRE(level);
      const bool told_apart =
          std::find(level->same.begin(), level->same.end(), rung.name) == level->same.end();
      CHECK((level->name == rung.name || !told_apart));
      CHECK(level->of == static_cast<int>(all.size()));
      CHECK(level->next_idea.empty() == (level->rung == level->of));
      ++placed;
    }
  }
  CHECK(placed > 50);
}

TEST_CASE("what people write is level with the rung whose estimated time is nearest") {
  const fs::path folder = fs::path(KATA_SOURCE_DIR) / "tests/practice/candidates";
  for (const char* name : {"relu_float4.cu", "reduce_sum_shuffle.cu", "softmax_rows_block.cu",
                           "transpose_tile_16.cu", "sgemm_tile_16.cu"}) {
    const fs::path file = folder / name;
    CAPTURE(file);
    const Json report = checked({file});
    const Json level = report.value("level", Json::object());
    CAPTURE(level.dump());
    double yours = 0, reached = 0, nearest = HUGE_VAL;
    for (const Json& row : report["estimates"]) {
      const double us = row.value("us", 0.0);
      if (row["name"] == "yours") yours = us;
      if (row["name"] == level["name"]) reached = std::abs(std::log(us / yours));
      if (row["name"] != "yours") nearest = std::min(nearest, std::abs(std::log(us / yours)));
    }
    REQUIRE(yours > 0);
    CHECK(reached <= nearest + 0.06);  // rungs within 5 % of each other are as fast
    CHECK((level.value("next_idea", "") == "") == (level["rung"] == level["of"]));
  }
}

TEST_CASE("without a GPU a candidate is as good as its estimated time, else as its worst count") {
  Report report;
  const CountRow last{.name = "2_rung", .launches = 1, .sectors = 1000, .wavefronts = 100};
  CountRow yours = last, first = last;
  yours.kind = RowKind::yours;
  yours.wavefronts = 190;
  first.name = "1_rung";
  first.sectors = 8000;
  report.counts = {yours, first, last};
  const Level by_counts = *level_of(report, rungs(2));
  CHECK(by_counts.rung == 2);
  CHECK(by_counts.of_best == doctest::Approx((100.0 + 10) / (190 + 10)));
  report.estimates = {{.kind = RowKind::yours, .name = "yours", .us = 50},
                      {.name = "1_rung", .us = 90},
                      {.name = "2_rung", .us = 45},
                      {.name = "library_x", .us = 20}};
  CHECK(level_of(report, rungs(2))->of_best == doctest::Approx(0.9));
  // The nearest rung, and the best, may be the one that has no estimate.
  report.estimates[2].us = 0;
  CHECK(level_of(report, rungs(2))->name == "2_rung");
  CHECK(level_of(report, rungs(2))->of_best == by_counts.of_best);
  report.estimates[0].us = 0;
  CHECK(level_of(report, rungs(2))->of_best == by_counts.of_best);
}

TEST_CASE("rungs with the same counts share a level, where nothing was timed or estimated") {
  Report report;
  const CountRow row{.name = "1_rung", .launches = 1, .sectors = 1000};
  report.counts = {row, row, row, row};
  report.counts[0].kind = RowKind::yours;
  report.counts[2].name = "2_rung";
  report.counts[3].name = "3_rung";
  CHECK(level_of(report, rungs(3))->name == "1_rung");
  CHECK(level_of(report, rungs(3))->same.size() == 2);
}

TEST_CASE("a rung is level with itself, and the last one is the top, even beside an equal one") {
  const Report report = timed(20, {100, 20, 19.9});
  const std::vector<Rung> all = rungs(3);
  CHECK(level_of(report, all)->name == "3_rung");
  CHECK(level_of(report, all, &all[1])->name == "2_rung");
  CHECK(level_of(report, all, &all[1])->next_idea == "idea 3");
  CHECK(level_of(report, all, &all[1])->of_best == doctest::Approx(0.995));
  CHECK(level_of(timed(20, {100, 20, 25}), all, &all[2])->next_idea.empty());

  const std::vector<Rung> relu = ladder("relu");
  std::string text = kata::read_file(relu[1].path).value_or("");
  CHECK(rung_with_text(relu, text) == &relu[1]);
  CHECK(rung_with_text(relu, "// Copied.\n" + text) == &relu[1]);
  CHECK(rung_with_text(relu, text + "int more;") == nullptr);
}

TEST_CASE("a next rung that is slower is said to be, and from which rung its idea pays") {
  const Level at_first{.rung = 1, .of = 4, .name = "1_rung"};
  LadderTimes times{.chip = "H100",
                    .measured = true,
                    .us = {{"1_rung", 600}, {"2_rung", 870}, {"3_rung", 610}, {"4_rung", 500}}};
  const auto slower = slower_next(at_first, rungs(4), times);
  REQUIRE(slower);
  CHECK(slower->us == 870);
  CHECK(slower->reached_us == 600);
  CHECK(slower->pays_from == 4);
  CHECK(slower->faster_idea == "idea 4");
  CHECK(slower_next(at_first, rungs(3), times)->pays_from == 0);
  times.us["2_rung"] = 620;  // as fast
  CHECK_FALSE(slower_next(at_first, rungs(4), times));
  times.us.erase("2_rung");
  CHECK_FALSE(slower_next(at_first, rungs(4), times));
  CHECK_FALSE(slower_next({.rung = 4, .of = 4, .name = "4_rung"}, rungs(4), times));
}

TEST_CASE("where blocks wait for each other the schedule does not decide the level") {
  const CountRow look_back{
      .name = "1_rung", .launches = 1, .sectors = 1000, .wavefronts = 900, .blocks_wait = true};
  CountRow ring = look_back, yours = look_back;
  ring.name = "2_rung";
  ring.sectors = 5000;
  ring.wavefronts = 400;
  yours.kind = RowKind::yours;
  yours.wavefronts = 399;
  Report report;
  report.counts = {yours, look_back, ring};
  for (const std::uint64_t sectors : {800, 1000, 3000, 20'000}) {
    report.counts[0].sectors = sectors;  // the more often it looks
    CHECK(level_of(report, rungs(2))->name == "2_rung");
    CHECK(level_of(report, rungs(2))->of_best == doctest::Approx(1).epsilon(0.01));
  }
  report.counts[0].blocks_wait = false;
  report.counts[0].sectors = 1000;
  CHECK(level_of(report, rungs(2))->name == "1_rung");
}

TEST_CASE("a slow candidate is at a slow rung, even if its counts are those of a fast one") {
  Report report;
  const CountRow many{.name = "1_rung", .launches = 1, .sectors = 8000};
  CountRow few = many, yours = many;
  few.sectors = yours.sectors = 1000;
  few.name = "2_rung";
  yours.kind = RowKind::yours;
  report.counts = {yours, many, few};
  CHECK(level_of(report, rungs(2))->name == "2_rung");
  report.estimates = {{.kind = RowKind::yours, .name = "yours", .us = 39450},
                      {.name = "1_rung", .us = 100},
                      {.name = "2_rung", .us = 10}};
  CHECK(level_of(report, rungs(2))->name == "1_rung");
  CHECK(level_of(report, rungs(2))->of_best == doctest::Approx(10 / 39450.0));
  report.timing = timed(11, {100, 10}).timing;  // a measured time counts more
  CHECK(level_of(report, rungs(2))->name == "2_rung");
}

TEST_CASE("of rungs that are as fast as a candidate, the level is the one with its counts") {
  Report report;
  const CountRow last{.name = "3_rung", .launches = 1, .sectors = 1000};
  CountRow second = last, yours = last;
  second.name = "2_rung";
  second.sectors = yours.sectors = 1500;
  yours.kind = RowKind::yours;
  report.counts = {yours, second, last};
  report.estimates = {{.kind = RowKind::yours, .name = "yours", .us = 51},
                      {.name = "1_rung", .us = 100},
                      {.name = "2_rung", .us = 50},
                      {.name = "3_rung", .us = 50.5}};
  CHECK(level_of(report, rungs(3))->name == "2_rung");
  report.counts.clear();
  CHECK(level_of(report, rungs(3))->name == "3_rung");
}

TEST_CASE("a count too small to matter does not move a candidate") {
  const CountRow a{.name = "a", .launches = 1, .sectors = 100'000};
  CountRow b = a;
  b.barrier_warps = 5;
  CHECK(distance(a, b, 1000) < 0.01);
  b.barrier_warps = 100'000;
  CHECK(distance(a, b, 1000) > 4);
  CHECK(distance(a, b, 1000) == distance(b, a, 1000));
  CHECK(distance(a, a, 1000) == 0);
}

TEST_CASE("on a GPU the level is by time, and a rung as fast as the next has reached the next") {
  const std::vector<double> ladder_us = {100, 50, 49, 20};
  const auto at = [&](double us) { return level_of(timed(us, ladder_us), rungs(4)); };
  CHECK(at(300)->rung == 1);
  CHECK(at(90)->rung == 1);
  CHECK(at(52)->rung == 3);
  CHECK(at(50)->rung == 3);
  CHECK(at(50)->next_idea == "idea 4");
  CHECK(at(50)->of_best == doctest::Approx(0.4));
  CHECK(at(10)->rung == 4);
  CHECK(at(10)->next_idea == "");
  CHECK_FALSE(level_of(timed(0, ladder_us), rungs(4)));
  CHECK_FALSE(level_of(Report{}, rungs(4)));
}
