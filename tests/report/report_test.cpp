#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "report/failing.h"
#include "report/json.h"
#include "report/layout.h"
#include "report/text/diagnostic.h"
#include "report/text/text.h"
#include "scratch.h"
#include "support/paths.h"
#include "support/text.h"

using namespace kata;
using kata::test::contains;
using kata::test::count_lines;
using kata::test::failing;
using Json = nlohmann::json;

namespace {

void check_width(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (contains(line, "harness/kata")) continue;  // a command to copy is one line
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
}

}  // namespace

TEST_CASE("the exit status is 0, 1, 2 or 77") {
  CHECK(exit_status(Verdict::pass) == 0);
  CHECK(exit_status(Verdict::fail) == 1);
  CHECK(exit_status(Verdict::error) == 2);
  CHECK(exit_status(Verdict::not_attempted) == 77);
  for (Verdict verdict : {Verdict::pass, Verdict::fail, Verdict::error, Verdict::not_attempted}) {
    CHECK(verdict_from(to_string(verdict)) == verdict);
  }
}

TEST_CASE("a finding and the sentence below it are from one case, or the finding names its own") {
  Report report;
  report.verdict = Verdict::fail;
  for (const int n : {1, 255, 1000}) {
    report.cases.push_back({.name = std::to_string(n) + " normal",
                            .tested = {{n}},
                            .verdict = Verdict::fail,
                            .of = n,
                            .explanation = "the output is correct",
                            .explanation_kind = ExplanationKind::finding});
  }
  report.findings = {{.kind = FindingKind::out_of_bounds,
                      .message = "reads x[255]",
                      .note = "is a check missing?",
                      .seen_in = Case{{255}}}};
  const std::string same = to_text(report);
  CHECK(contains(same, "the output is correct (case 255 normal)"));
  CHECK_FALSE(contains(same, "seen in"));
  report.cases[2].explanation_kind = ExplanationKind::pattern;
  report.cases[2].bad = 3;
  CHECK(contains(to_text(report), "note: is a check missing?\nnote: seen in case 255 normal\n"));
  const std::optional<Report> read_back = report_from_json_text(to_json_text(report));
  REQUIRE(read_back);
  CHECK(to_text(*read_back) == to_text(report));
}

TEST_CASE("advice is for who has it right, and never what to look at first") {
  Report report = failing();
  report.findings = {{.kind = FindingKind::uncoalesced,
                      .severity = Severity::advice,
                      .file = "mine.cu",
                      .line = 8,
                      .message = "lanes 0-31 read far apart"}};
  CHECK_FALSE(contains(to_text(report), "far apart"));
  CHECK(contains(to_text(report), "fix mine.cu,"));
  report.verdict = Verdict::pass;
  CHECK(contains(to_text(report), "mine.cu:8: warning: uncoalesced: "));
  CHECK(contains(to_text(report), "far apart"));
}

TEST_CASE("a verdict breaks between its parts, not inside a path") {
  Report report = failing();
  report.operator_name = "flash_attention_backward";
  report.candidate = "exercises/flash_attention_backward/flash_attention_backward.cu";
  for (const Verdict verdict : {Verdict::not_attempted, Verdict::fail}) {
    report.verdict = verdict;
    CHECK(contains(verdict_text(report), "backward\n  exercises/"));
    CHECK(kata::test::widest_line(verdict_text(report)) <= 80);
  }
}

TEST_CASE("a long path and a long source line stay within 80 columns, and whole") {
  const auto source = std::filesystem::temp_directory_path() / "kata_report_long_line.cu";
  std::ofstream(source) << "extern \"C\" void softmax_rows(const float* x, float* y, int rows, int "
                           "cols) { kernel<<<rows, 2048>>>(x, y, rows, cols); }\n";
  Report report = failing();
  report.candidate = "exercises/softmax_rows/softmax_rows_with_a_long_name.cu";
  report.findings = {{.kind = FindingKind::invalid_launch,
                      .file = source.string(),
                      .line = 1,
                      .message = "a block of 2048"}};
  const std::string text = to_text(report, {.rows = 24});
  std::filesystem::remove(source);
  check_width(text);
  CHECK(contains(text, "kernel<<<rows, 2048>>>"));
  CHECK(contains(text, "seed 42"));
}

TEST_CASE("a failure reads from what is wrong to verdict and next step, in 80 columns") {
  const std::string text = to_text(failing(), {.rows = 24});
  check_width(text);
  CHECK(text.find("columns 1020 to 1022") < text.find("FAIL  softmax_rows"));
  CHECK(text.find("FAIL  softmax_rows") < text.find("Next:"));
  CHECK(contains(text, "columns 1020 to 1022"));
  CHECK(contains(text, "y[4][1020] is NaN and should"));
  CHECK(contains(text, "nowhere.cu:31: error: out_of_bounds: read of x[1023] is past its end"));
  CHECK(text.find("out_of_bounds") < text.find("leak"));  // the cause first
  CHECK(contains(text, "1 of 5 cases right, 3 not run after 1 wrong. Wrong: 17x1023 sorted"));
  CHECK(contains(text, "51 of 17391 wrong"));
  CHECK(contains(text, "--seed 42"));
  CHECK(contains(text.substr(text.rfind("Next:")), "check mine.cu"));
  CHECK_FALSE(contains(text, "\x1b["));
  CHECK(contains(to_text(failing(), {.color = true}), "\x1b["));
}

TEST_CASE("names of cases may hold commas: other signs are between them") {
  Report report = failing();
  report.cases[0].verdict = Verdict::fail;
  report.cases[0].name = "1x1, alpha 2, beta 0";
  CHECK(contains(to_text(report, {.rows = 24}),
                 "0 of 5 cases right, 3 not run after 2 wrong. Wrong: 1x1, alpha 2, beta 0;"));
}

TEST_CASE("a case whose output is correct says that it is this case that counts as wrong") {
  Report report = failing();
  report.cases[1] = {.name = "17x1023 sorted",
                     .verdict = Verdict::fail,
                     .explanation = "the output is correct, but the kernel is not: a race",
                     .explanation_kind = ExplanationKind::finding};
  std::string text = to_text(report, {.rows = 24});
  std::replace(text.begin(), text.end(), '\n', ' ');
  CAPTURE(text);
  CHECK(contains(text, "but the kernel is not: a race (case 17x1023"));
}

TEST_CASE("-v names every case, right or wrong") {
  const std::string text = to_text(failing(), {.verbose = true});
  CHECK(contains(text, "1 of 5 cases right: 1x1 normal"));
  CHECK(contains(text, "FAIL 17x1023 sorted  51 of 17391 wrong"));
  CHECK(contains(text, "3 more cases were not run"));
}

TEST_CASE("the command that repeats a check keeps its options, and is safe to paste") {
  Report report = failing();
  report.candidate = "a $(touch b)'s.cu";
  report.options = {"--size", "4x4"};
  CHECK(contains(to_text(report), "check 'a $(touch b)'\\''s.cu' --size 4x4 --seed 42\n"));
}

TEST_CASE("a finding shows the line of source that it is about") {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("kata-{}.cu", getpid());
  std::ofstream(file) << "one\n    y[i] = x[i + 1];\nthree\n";
  Report report = failing();
  report.findings[1].file = file;
  report.findings[1].line = 2;
  report.findings[1].object = "x";
  report.findings[1].note = "is a bounds check missing?";
  add_columns(report.findings);
  CHECK(contains(to_text(report), fmt::format("{}:2:12: error: out_of_bounds: read of x[1023] is "
                                              "past its end [softmax_kernel]\n"
                                              "    2 |     y[i] = x[i + 1];\n"
                                              "      |            ^\n"
                                              "note: is a bounds check missing?\n",
                                              file.string())));
  std::filesystem::remove(file);
}

TEST_CASE("the error that is named alone is the one that a check shows first") {
  std::vector<Finding> findings{
      {.kind = FindingKind::output_incomplete, .message = "later"},
      {.kind = FindingKind::uninitialized, .severity = Severity::warning, .message = "a warning"},
      {.kind = FindingKind::race, .line = 5, .message = "the cause"},
      {.kind = FindingKind::race, .line = 7, .message = "the same again"}};
  REQUIRE(first_error(findings));
  CHECK(first_error(findings)->line == 5);
  findings.resize(2);
  CHECK(first_error(findings)->message == "later");
  findings.erase(findings.begin());
  CHECK_FALSE(first_error(findings));
}

TEST_CASE("a leak's caret is below the allocation, not below what the line does first") {
  const kata::test::Scratch scratch;
  const auto column = [&](const std::string& line) {
    std::vector<Finding> findings{{.kind = FindingKind::leak,
                                   .file = scratch.write("leak.cu", line + "\n"),
                                   .line = 1,
                                   .message = ""}};
    add_columns(findings);
    return findings[0].column;
  };
  CHECK(column("int b = bytes(n); CHECK(cudaMalloc(&p, b));") == 25);
  CHECK(column("init(); cudaStreamCreateWithFlags(&s, 1);") == 9);
  CHECK(column("  p = my_pool.take(n);") == 3);
}

TEST_CASE("a caret is below the access, also where a condition stands before it") {
  const kata::test::Scratch scratch;
  const auto column = [&](const std::string& line, FindingKind kind = FindingKind::out_of_bounds) {
    std::vector<Finding> findings{{.kind = kind,
                                   .file = scratch.write("access.cu", line + "\n"),
                                   .line = 1,
                                   .message = "",
                                   .object = "x"}};
    add_columns(findings);
    return findings[0].column;
  };
  CHECK(column("  if (i <= n) total += src[i];") == 24);
  CHECK(column("  if (i < n) atomicAdd(count + i, 1);") == 24);
  CHECK(column("  if (i < n) atomicAdd(&bins[b[i]], 1);") == 3);  // either of two
  CHECK(column("  if (i <= n) x[i] = src[i];") == 15);
  CHECK(column("  if (i < n) src[i] = 0;", FindingKind::barrier_divergence) == 3);
  Finding finding{.kind = FindingKind::out_of_bounds,
                  .file = scratch.write("named.cu", "  if (i <= n) dst[i] = src[i];\n"),
                  .line = 1,
                  .message = "",
                  .object = "x"};
  point_at("src", finding);
  CHECK(finding.column == 24);
}

TEST_CASE("a caret stays below its column where a long line is broken") {
  const kata::test::Scratch scratch;
  const auto file = scratch.write("long.cu", "  " + std::string(60, 'a') + " = b + here[0];\n");
  const Finding finding{
      .kind = FindingKind::race, .file = file, .line = 1, .message = "", .object = "here"};
  std::vector<Finding> findings{finding};
  add_columns(findings);
  CHECK(findings[0].column == 70);
  const std::string text = diagnostic(findings[0], false, true);
  std::istringstream lines(text);
  std::string line, before;
  while (std::getline(lines, line) && !contains(line, "^")) before = line;
  CHECK(before.find("here[0]") == line.find('^'));
}

TEST_CASE("a terminal shows as many findings as fit, a pipe shows them all") {
  Report report = failing();
  for (int i = 0; i < 20; ++i) report.findings.push_back(report.findings[1]);
  const std::string text = to_text(report, {.rows = 24});
  CHECK(count_lines(text) <= 23);  // the prompt takes one
  CHECK(contains(text, "more findings (-v shows all)"));
  CHECK_FALSE(contains(to_text(report), "more findings"));
  CHECK_FALSE(contains(to_text(report, {.verbose = true, .rows = 24}), "more findings"));
}

TEST_CASE("what the explanations say is no finding in the text") {
  Report report = failing();
  report.findings.push_back({.kind = FindingKind::output_incomplete, .message = "again"});
  CHECK_FALSE(contains(to_text(report), "again\n"));
  CHECK(contains(to_json_text(report), "again"));
}

TEST_CASE("a compile error is the compiler's own words, and in a terminal no word is cut") {
  Report report;
  report.verdict = Verdict::error;
  report.candidate = "mine.cu";
  report.error = "mine.cu does not compile";
  report.detail =
      "mine.cu:5:3: error: 'x' was not declared, and this line is long enough to be "
      "broken if it were a paragraph\n";
  CHECK(to_text(report).starts_with(report.detail));
  const std::string text = to_text(report, {.rows = 24});
  check_width(text);
  CHECK(contains(text, "this line is"));
  CHECK(contains(text, "were a paragraph"));
  for (int i = 0; i < 50; ++i) report.detail += "mine.cu:6:1: error: and one more\n";
  CHECK(count_lines(to_text(report, {.rows = 24})) <= 23);
}

TEST_CASE("the caret of a compile error stays below its place where the source line is wide") {
  const std::string indent(20, ' '), code = "y[i] = " + std::string(90, 'a') + " + oops(x[i]);";
  const std::size_t at = indent.size() + code.find("oops");
  Report report;
  report.candidate = "r.cu";
  report.error = "r.cu does not compile";
  report.detail = "r.cu:12:118: error: no oops\n   12 | " + indent + code + "\n      | " +
                  std::string(at, ' ') + "^~~~\n      | " + std::string(at, ' ') + "loops\n";
  const std::vector<std::string> lines = lines_of(to_text(report, {.rows = 24}));
  const auto caret = std::ranges::find_if(
      lines, [](const std::string& line) { return line.find('^') != std::string::npos; });
  REQUIRE(caret != lines.end());
  CHECK(lines[1].size() <= 80);
  CHECK((caret - 1)->find("oops") == caret->find('^'));
  CHECK((caret + 1)->find("loops") == caret->find('^'));
}

TEST_CASE("the tables fit the terminal and keep their columns") {
  Report report = failing();
  report.verdict = Verdict::pass;
  report.findings.clear();
  report.cases.resize(1);
  report.device = "NVIDIA H200";
  report.counted_case = "17x1023 normal";
  report.counts = {{.kind = RowKind::yours,
                    .name = "yours",
                    .launches = 1,
                    .global_bytes = 139128,
                    .sectors = 34782,
                    .wavefronts = 4567890123,
                    .atomics = 17,
                    .barriers = 144},
                   {.name = "1_thread_per_row_with_a_long_name", .launches = 3}};
  report.timing = {
      {.kind = RowKind::yours,
       .name = "yours",
       .size = "4096x32768",
       .median_us = 310.2,
       .iqr_us = 1.1,
       .samples = 350,
       .gb_per_s = 3462,
       .tflop_per_s = 0.41,
       .of_limit = 0.81,
       .vs_yours = 1},
      {.name = "empty", .size = "4096x32768", .median_us = 3.1, .launch_bound = true},
      {.name = "cublas", .size = "4096x32768", .error = "does not compile"},
      {.kind = RowKind::limit,
       .name = "limit (copy)",
       .size = "4096x32768",
       .median_us = 255.5,
       .iqr_us = 2.25,
       .samples = 330},
      {.kind = RowKind::limit, .name = "limit (FFMA)", .size = "4096x32768", .median_us = 260.3}};
  const std::string text = to_text(report, {.verbose = true});
  check_width(text);
  CHECK(contains(text, "PASS  softmax_rows"));
  CHECK(contains(text, "4.57G"));
  CHECK(contains(text, "34.8k"));
  CHECK(contains(text, "310.2"));
  CHECK(contains(text, "81 %"));
  CHECK(contains(text, "3.1*"));
  CHECK(contains(text, "under 10 us"));
  CHECK(contains(text, "no time: does not compile"));
  CHECK(contains(text, "255.5    2.25"));          // measured, like a kernel
  CHECK(contains(text, "260.3               -"));  // calculated: without a spread
  check_width(to_text(report));
  CHECK_FALSE(contains(to_text(report), "4.57G"));
}

TEST_CASE("of the ladder a check shows yours, your level, the best rung, library and limit") {
  Report report;
  report.verdict = Verdict::pass;
  report.cases = {{.name = "1 normal"}};
  report.level = Level{.rung = 2, .of = 4, .name = "2_second", .next_idea = "tiles."};
  for (const auto& [kind, name, us] :
       {std::tuple(RowKind::yours, "yours", 5.0), std::tuple(RowKind::rung, "1_first", 9.0),
        std::tuple(RowKind::rung, "2_second", 5.0), std::tuple(RowKind::rung, "3_third", 3.0),
        std::tuple(RowKind::rung, "4_fourth", 4.0), std::tuple(RowKind::library, "cublas", 3.5),
        std::tuple(RowKind::limit, "limit (copy)", 2.0)}) {
    report.timing.push_back({.kind = kind, .name = name, .size = "4x4", .median_us = us});
  }
  const std::string text = ladder_text(report);
  CHECK(contains(text, "\n= 2_second "));
  CHECK(contains(text, "\n  3_third "));  // the best, though not the last
  for (const char* shown : {"\n  yours", "\n  cublas", "\n  limit (copy)"})
    CHECK(contains(text, shown));
  for (const char* hidden : {"1_first", "4_fourth"}) CHECK_FALSE(contains(text, hidden));
  CHECK(contains(ladder_text(report, {.verbose = true}), "4_fourth"));
}

TEST_CASE("after a pass the level says at which size a file falls behind, and what to aim for") {
  Report report;
  report.operator_name = "relu";
  report.candidate = "mine.cu";
  report.verdict = Verdict::pass;
  report.cases = {{.name = "1 normal"}};
  report.chip = "H200";
  for (const char* const size : {"8x8", "4x4"}) {
    report.estimates.push_back({.kind = RowKind::yours, .name = "yours", .size = size, .us = 9});
    report.estimates.push_back({.name = "1_first", .size = size, .us = 9});
    report.estimates.push_back({.name = "2_second", .size = size, .us = 2, .placed = true});
  }
  report.level = Level{.rung = 1,
                       .of = 2,
                       .name = "1_first",
                       .size = "4x4",
                       .sizes = {{"8x8", 2, 1}, {"4x4", 1, 0.25}},
                       .next = 2,
                       .next_idea = "tiles."};
  std::string text = to_text(report);
  check_width(text);
  CHECK(contains(text,
                 "  Level with rung 1 of 2, 1_first (=) at 4x4, with rung 2 at 8x8. 4.0 times as\n"
                 "  slow as the best rung at 4x4, typically 2.0 times.\n"));
  CHECK(contains(text, "4x4 estimated"));
  CHECK_FALSE(contains(text, "8x8 estimated"));
  CHECK(contains(text, "+ placed by its measured time"));
  CHECK(contains(text, "Next: 4.0 x off at 4x4: aim for rung 2\n"));
  CHECK(text.ends_with(" show relu\n"));
  CHECK_FALSE(contains(text, "tiles"));  // a hint is asked for
  report.candidate = shown(exercise("relu"));
  CHECK(to_text(report).ends_with(" hint relu\n"));

  // Behind the best at one size, and level with the rung at another.
  report.level->sizes = {{"8x8", 1, 0.4}, {"4x4", 2, 0.25}};
  CHECK(contains(to_text(report), "1_first (=) at 8x8, with rung 2 at 4x4. 4.0 times as\n"));
  report.level->sizes = {{"8x8", 2, 1}, {"4x4", 1, 0.25}};

  report.level->sizes[0].rung = 1;
  report.level->same = {"2_second"};
  report.level->next = 0;
  report.estimates[0].us = 0;
  report.estimates[0].error = "too many accesses";
  text = to_text(report);
  CHECK(contains(text,
                 "1_first (=), which is as fast as 2_second at all 2\n  sizes. No rung is more "
                 "than 5 % faster. "
                 "Not estimated at 8x8: too many\n  accesses.\n"));
  CHECK(text.ends_with(" show relu\n"));

  report.level->behind = 1.3;
  CHECK(contains(to_text(report), "Nearest to rung 1 of 2, 1_first (=)"));

  report.level = Level{.rung = 1, .of = 2, .name = "1_first", .same = {"2_second"}};
  CHECK(contains(to_text(report), "1_first (=), which has the same counts as 2_second."));
}

TEST_CASE("a level that is unknown says why, and a pass at one size says that it is one") {
  Report report;
  report.operator_name = "relu";
  report.verdict = Verdict::pass;
  report.cases = {{.name = "5x2 normal", .verdict = Verdict::pass}};
  report.counts = {{.kind = RowKind::yours, .name = "yours"}};
  report.estimates = {{.kind = RowKind::yours, .name = "yours", .size = "5x2", .us = 2}};
  report.options = {"--size", "5x2", "--entry", "f"};
  std::string text = to_text(report);
  CHECK(contains(text, "Level unknown: the ladder has no times at 5x2, and its counts are those"));
  CHECK(contains(text, "Next: that was one size alone; judge every case\n"));
  CHECK(text.ends_with(" --entry f\n"));
  CHECK_FALSE(contains(text, "--size"));
  report.options = {};
  report.estimates[0].us = 0;
  report.estimates[0].error = "one call makes too many accesses";
  text = to_text(report);
  CHECK(contains(text, "Level unknown: there is no estimate (one call makes too many accesses)"));
  CHECK(contains(text, "Next: compare with the ladder\n"));
}

TEST_CASE("a bench at several sizes is one row for each") {
  Report report;
  report.verdict = Verdict::pass;
  for (const char* size : {"4x4", "8x8"}) {
    report.timing.push_back({.name = "1_first", .size = size, .median_us = 9});
    report.timing.push_back({.name = "2_second", .size = size, .median_us = 7});
    report.timing.push_back(
        {.kind = RowKind::library, .name = "cublas", .size = size, .median_us = 6});
  }
  const std::string text = to_text(report);
  check_width(text);
  CHECK(contains(text, "                   best rung   library  which rung\n"));
  CHECK(contains(text, "8x8                     7.0       6.0  2_second\n"));
  CHECK_FALSE(contains(text, "1_first"));
  CHECK(contains(to_text(report, {.verbose = true}), "1_first"));
}

TEST_CASE("short numbers keep three digits") {
  CHECK(layout::short_number(0) == "0");
  CHECK(layout::short_number(9999) == "9999");
  CHECK(layout::short_number(10000) == "10.0k");
  CHECK(layout::short_number(999'499) == "999k");
  CHECK(layout::short_number(999'999) == "1.00M");
  CHECK(layout::short_number(~std::uint64_t{0}) == "18447P");
}

TEST_CASE("the failing case that teaches most is shown first, the others below it") {
  Report report = failing();
  CaseResult small = report.cases[1];
  small.name = "1x1 normal";
  small.of = small.bad = 1;
  small.explanation = "y is 0";
  report.cases.insert(report.cases.begin() + 1, small);
  const TextOptions all{.verbose = true};
  const std::string text = to_text(report, all);
  CHECK(text.find("columns 1020 to 1022") < text.find("y is 0"));
  report.cases[1].explanation_kind = ExplanationKind::nondeterministic;
  const std::string changing = to_text(report, all);
  CHECK(changing.find("y is 0") < changing.find("columns 1020 to 1022"));
  report.cases[1].explanation_kind = ExplanationKind::pattern;
  for (const ExplanationKind vague :
       {ExplanationKind::uncertain, ExplanationKind::unknown, ExplanationKind::finding}) {
    report.cases[2].explanation_kind = vague;
    const std::string definite = to_text(report, all);
    CHECK(definite.find("y is 0") < definite.find("columns 1020 to 1022"));
  }
}

TEST_CASE("a candidate's output is counted, and shown by --output without moving the cursor") {
  Report report = failing();
  report.output = "\x1b[2Jcleared\n" + std::string(200, 'x') + "\n";
  for (int i = 0; i < 20; ++i) report.output += "again\n";
  report.output_lines = 22;
  CHECK(contains(to_text(report), "Your program printed 22 lines (--output shows them)"));
  CHECK_FALSE(contains(to_text(report), "cleared"));
  const std::string text = to_text(report, {.output = true, .rows = 24});
  CHECK_FALSE(contains(text, "\x1b"));
  CHECK(contains(text, "?[2Jcleared"));
  CHECK(contains(text, "again\n\n"));
  check_width(text);
}

TEST_CASE("an untouched stub says what to do") {
  Report report;
  report.operator_name = "relu";
  report.candidate = "mine.cu";
  report.verdict = Verdict::not_attempted;
  const std::string text = to_text(report);
  CHECK(contains(text, "NOT ATTEMPTED  relu"));
  CHECK(contains(text, "Next: write the kernel in mine.cu"));
}

TEST_CASE(
    "of an operator as many cases are counted whether a file passes or fails; large sizes "
    "are named apart") {
  Report report;
  report.operator_name = "relu";
  report.verdict = Verdict::pass;
  report.cases = {
      {.name = "1 normal"}, {.name = "7 normal"}, {.name = "999 normal", .large = true}};
  CHECK(cases_text(report) == "  2 of 2 cases right, and right at large sizes\n\n");
  CHECK(
      contains(result_text(report, {.verbose = true}), "2 of 2 cases right: 1 normal; 7 normal\n"));

  report.verdict = Verdict::fail;
  report.cases[2].verdict = Verdict::fail;
  CHECK(cases_text(report) == "  2 of 2 cases right. Wrong at large sizes: 999 normal\n\n");

  report.cases = {{.name = "1 normal", .verdict = Verdict::fail}};  // and a crash
  report.cases_not_run = 1;
  CHECK(cases_text(report) == "  0 of 2 cases right, 1 not run after 1 wrong. Wrong: 1 normal\n\n");
}

TEST_CASE("the numbers of a case with many sizes are named where it is explained") {
  Report report = failing();
  report.cases[1].sizes = "n = 17, vocabulary = 1023, dim = 4";
  CHECK(contains(to_text(report, {.rows = 24}), "which is n = 17, vocabulary = 1023, dim = 4"));
}
