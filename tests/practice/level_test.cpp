// Levels: a candidate stands where its counts or its times put it.
#include "grading/level.h"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "grading/check_estimates.h"
#include "problems/spec/problem.h"
#include "report/json.h"
#include "scratch.h"
#include "support/files.h"
#include "support/parallel.h"
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

void add_times(const std::string& size, double yours_us, const std::vector<double>& rungs_us,
               Report& report) {
  report.timing.push_back(
      {.kind = RowKind::yours, .name = "yours", .size = size, .median_us = yours_us});
  for (std::size_t i = 0; i < rungs_us.size(); ++i) {
    report.timing.push_back(
        {.name = std::to_string(i + 1) + "_rung", .size = size, .median_us = rungs_us[i]});
  }
}

Report timed(double yours_us, const std::vector<double>& rungs_us) {
  Report report;
  add_times("4", yours_us, rungs_us, report);
  return report;
}

double us_of_yours(const Json& report, const std::string& size) {
  for (const Json& row : report.at("estimates"))
    if (row.at("name") == "yours" && row.at("size") == size) return row.at("us");
  return 0;
}

/// As a check would find it, if the rung were somebody's file; nothing without an estimate.
std::optional<Level> level_as_candidate(const Problem& problem, const std::vector<Rung>& all,
                                        std::size_t i, const Chip& chip) {
  const Result<Module> module = compile({.source = all[i].path, .backend = Backend::emulator});
  if (!module) return {};
  Report report;
  report.estimates = check_estimates(problem, problem.bench_shapes, chip,
                                     {RowKind::yours, yours_name, *module, problem.name},
                                     {.candidate = {.path = all[i].path}});
  return level_of(report, all);
}

/// "| sgemm | 3_tile | 3 | 4_tile | 6 | 1.8 x |"
std::string row_of(const Problem& problem, const Rung& rung, const std::optional<Level>& level) {
  if (!level) return fmt::format("| {} | {} | no estimate | | 0 | |\n", problem.name, rung.name);
  const auto worst = std::ranges::find(level->sizes, level->size, &SizeLevel::size);
  return fmt::format("| {} | {} | {} | {} | {} | {:.2f} x |\n", problem.name, rung.name,
                     level->rung, fmt::join(level->same, ", "), level->sizes.size(),
                     times_of_best(*worst));
}

}  // namespace

// docs/measured/levels.md has the exceptions: a check profiles fewer blocks than were kept.
TEST_CASE("nine of ten rungs in other words are level with themselves or with rungs as fast" *
          doctest::test_suite("slow")) {
  const Result<Chip> chip = find_chip("h200");
  REQUIRE(chip);
  struct Known {
    const Problem* problem;
    std::vector<Rung> ladder;
    std::size_t rung;
  };
  std::vector<Known> known;
  for (const Problem& problem : problems()) {
    const std::vector<Rung> all = ladder(problem.name);
    for (std::size_t i = 0; i < all.size(); ++i) known.push_back({&problem, all, i});
  }
  const char* const file = std::getenv("KATA_LEVELS");
  std::ofstream page(file ? file : "/dev/null");
  std::mutex one_at_a_time;
  std::string others;
  int placed = 0, own = 0;
  in_parallel(known.size(), [&](std::size_t i) {
    const auto& [problem, all, rung] = known[i];
    const std::optional<Level> level = level_as_candidate(*problem, all, rung, *chip);
    const std::string row = row_of(*problem, all[rung], level);
    const std::lock_guard lock(one_at_a_time);
    page << row << std::flush;  // of a run that is ended early, too
    if (!level) return;
    ++placed;
    const bool is_own =
        level->rung == all[rung].number || std::ranges::count(level->same, all[rung].name) == 1;
    own += is_own;
    if (!is_own) others += row;
  });
  CAPTURE(others);
  CHECK(placed > 200);
  CHECK(10 * own >= 9 * placed);
}

namespace {

void keeps_up_with_its_level(const char* name) {
  const Json report = checked({fs::path(KATA_SOURCE_DIR) / "tests/practice/candidates" / name});
  const Json level = report.at("level");
  CAPTURE(level.dump());
  CHECK(level.at("sizes").size() > 3);
  CHECK((level.at("next") == 0) == (level.at("next_idea") == ""));
  double least = 1;
  for (const Json& one : level.at("sizes"))
    least = std::min(least, one.at("of_best").get<double>());
  for (const Json& one : level.at("sizes"))
    CHECK((one.at("of_best") == least) == (one.at("size") == level.at("size")));
  for (const Json& row : report.at("estimates")) {
    if (row.at("size") != level.at("size") || row.at("name") != level.at("name")) continue;
    const double reached = row.at("us");
    CHECK(us_of_yours(report, level.at("size")) <=
          1.051 * level.at("behind").get<double>() * reached);
  }
}

}  // namespace

TEST_CASE("what people write keeps up with the rung that it is level with at every size" *
          doctest::test_suite("slow")) {
  for (const char* name : {"softmax_rows_block.cu", "relu_float4.cu", "reduce_sum_shuffle.cu"})
    keeps_up_with_its_level(name);
}

TEST_CASE("without a GPU a candidate is as good as its estimated time, else as its worst count") {
  Report report;
  const CountRow last{.name = "2_rung", .launches = 1, .sectors = 1000, .wavefronts = 100};
  CountRow yours = last, first = last;
  yours.kind = RowKind::yours;
  yours.wavefronts = 140;
  first.name = "1_rung";
  first.sectors = 8000;
  report.counts = {yours, first, last};
  const Level by_counts = *level_of(report, rungs(2));
  CHECK(by_counts.rung == 2);
  CHECK(by_counts.of_best == doctest::Approx((100.0 + 10) / (140 + 10)));
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

// One block for each head of decode_attention, which waits at a barrier for every key.
TEST_CASE("without a time a kernel whose counts are no rung's has no level, nor has a tiny call") {
  Report report;
  const CountRow first{
      .name = "1_rung", .launches = 1, .threads = 4096, .sectors = 90'000, .barrier_warps = 1000};
  CountRow last = first, yours = first;
  last.name = "2_rung";
  last.sectors = 40'000;
  yours.kind = RowKind::yours;
  yours.sectors = 41'000;
  yours.barrier_warps = 25'500;  // the traffic of the last rung, and many more barriers
  report.counts = {yours, first, last};
  report.estimates = {{.kind = RowKind::yours, .name = "yours", .size = "8", .error = "too much"}};
  CHECK_FALSE(level_of(report, rungs(2)));
  report.counts[0].barrier_warps = 1400;
  CHECK(level_of(report, rungs(2))->rung == 2);
  for (CountRow& row : report.counts) row.sectors /= 100;
  CHECK_FALSE(level_of(report, rungs(2)));
  const std::vector<Rung> all = rungs(2);
  CHECK(level_of(report, all, &all[0])->rung == 1);  // a rung is itself at any size
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

// A 16 x 16 tile of sgemm, beside its rungs 1, 2 and 8 (estimates of 2026-11-30).
TEST_CASE("a kernel is level with the rung whose estimate is within the error of estimates") {
  Report report;
  const auto add = [&](const std::string& size, double yours_us, std::vector<double> rungs_us) {
    report.estimates.push_back(
        {.kind = RowKind::yours, .name = "yours", .size = size, .us = yours_us});
    for (std::size_t i = 0; i < rungs_us.size(); ++i)
      report.estimates.push_back(
          {.name = std::to_string(i + 1) + "_rung", .size = size, .us = rungs_us[i]});
  };
  add("large", 17868, {27706, 15535, 3474});
  add("small", 38.8, {48.5, 35.7, 37.7});
  CHECK(level_of(report, rungs(3))->rung == 2);
  report.estimates[4].us = 45;  // slower than rung 2 by more than that, and nearer to rung 1
  CHECK(level_of(report, rungs(3))->rung == 1);
}

TEST_CASE("a rung is level with itself, and the last one is the top, even beside an equal one") {
  const Report report = timed(20, {100, 20, 19.9});
  const std::vector<Rung> all = rungs(3);
  CHECK(level_of(report, all)->name == "3_rung");
  CHECK(level_of(report, all, &all[1])->name == "2_rung");
  CHECK(level_of(report, all, &all[1])->same == std::vector<std::string>{"3_rung"});
  CHECK(level_of(report, all, &all[1])->next_idea.empty());
  CHECK(level_of(report, all, &all[1])->of_best == doctest::Approx(0.995));
  CHECK(level_of(timed(20, {100, 20, 25}), all, &all[2])->next_idea.empty());
  CHECK(level_of(timed(20, {100, 20, 25}), all, &all[2])->same.empty());

  const std::vector<Rung> relu = ladder("relu");
  std::string text = kata::read_file(relu[1].path).value_or("");
  CHECK(rung_with_text(relu, text) == &relu[1]);
  CHECK(rung_with_text(relu, "// Copied.\n" + text) == &relu[1]);
  CHECK(rung_with_text(relu, text + "int more;") == nullptr);
}

TEST_CASE("the rung to aim for is the next one that is faster, not one that is slower") {
  const std::vector<double> ladder_us = {600, 870, 610, 500};
  CHECK(level_of(timed(600, ladder_us), rungs(4))->next == 4);
  CHECK(level_of(timed(600, ladder_us), rungs(4))->next_idea == "idea 4");
  CHECK(level_of(timed(500, ladder_us), rungs(4))->next == 0);
  CHECK(level_of(timed(500, ladder_us), rungs(4))->next_idea.empty());
  CHECK(level_of(timed(800, {600, 870}), rungs(2))->next == 1);  // a rung below is better
}

TEST_CASE("a kernel that is good at one size and bad at another has the level of the bad one") {
  Report report;
  add_times("large", 100, {900, 300, 99}, report);
  add_times("short rows", 195, {900, 190, 39}, report);
  const Level level = *level_of(report, rungs(3));
  CHECK(level.rung == 2);
  CHECK(level.size == "short rows");
  REQUIRE(level.sizes.size() == 2);
  CHECK(level.sizes[0].rung == 3);
  CHECK(level.sizes[1].rung == 2);
  CHECK(level.next == 3);
  CHECK(times_of_best(level.sizes[1]) == doctest::Approx(5));
  CHECK(level.of_best < 0.35);
}

TEST_CASE("rungs within 5 % at every size are named together, and none that is slower at one") {
  Report report;
  add_times("a", 100, {900, 100, 103, 102}, report);
  add_times("b", 100, {900, 102, 100, 120}, report);
  const Level level = *level_of(report, rungs(4));
  CHECK(level.rung == 3);
  CHECK(level.same == std::vector<std::string>{"2_rung"});
  CHECK(level.next == 0);
  report.timing[0].median_us = 1000;  // slower than every rung
  CHECK(level_of(report, rungs(4))->behind == doctest::Approx(1000 / 900.0));
  CHECK(level_of(report, rungs(4))->rung == 1);
}

TEST_CASE("an estimate that is scaled up from another size decides no level") {
  Report report;
  for (const char* size : {"large", "small"}) {
    report.estimates.push_back({.kind = RowKind::yours, .name = "yours", .size = size, .us = 50});
    report.estimates.push_back({.name = "1_rung", .size = size, .us = 90});
    report.estimates.push_back({.name = "2_rung", .size = size, .us = 10});
  }
  report.estimates[0].extrapolated_from = "small";
  report.estimates[3].us = 10;
  CHECK(level_of(report, rungs(2))->rung == 2);
}

TEST_CASE("where blocks wait for each other there is no level without a time") {
  Report report;
  report.counts = {{.kind = RowKind::yours,
                    .name = "yours",
                    .launches = 1,
                    .sectors = 1000,
                    .blocks_wait = true},
                   {.name = "1_rung", .launches = 1, .sectors = 5000},
                   {.name = "2_rung", .launches = 1, .sectors = 1000, .blocks_wait = true}};
  const std::vector<Rung> ladder = rungs(2);
  CHECK_FALSE(level_of(report, ladder));
  CHECK(level_of(report, ladder, &ladder[1])->rung == 2);
  report.timing = {{.kind = RowKind::yours, .name = "yours", .size = "8", .median_us = 20},
                   {.name = "1_rung", .size = "8", .median_us = 20},
                   {.name = "2_rung", .size = "8", .median_us = 2}};
  CHECK(level_of(report, ladder)->rung == 1);
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
  CHECK(at(51)->behind == 1);
  CHECK(at(60)->rung == 3);
  CHECK(at(60)->behind == doctest::Approx(60 / 49.0));
  CHECK(at(80)->rung == 1);
  CHECK(at(50)->rung == 3);
  CHECK(at(50)->next_idea == "idea 4");
  CHECK(at(50)->of_best == doctest::Approx(0.4));
  CHECK(at(10)->rung == 4);
  CHECK(at(10)->next_idea == "");
  CHECK_FALSE(level_of(timed(0, ladder_us), rungs(4)));
  CHECK_FALSE(level_of(Report{}, rungs(4)));
}
