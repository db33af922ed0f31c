// A check on both backends: the GPU's results, and what the emulator found.
#include "grading/both_backends.h"

#include <doctest/doctest.h>

using namespace kata;

namespace {

Report report_of(const std::string& backend, Verdict verdict, std::vector<CaseResult> cases,
                 std::vector<Finding> findings = {}) {
  Report report;
  report.backend = report.device = backend;
  report.verdict = verdict;
  report.cases = std::move(cases);
  report.findings = std::move(findings);
  return report;
}

const CaseResult small{.name = "3 normal"}, large{.name = "4194305 normal"};
const CaseResult failed_small{
    .name = "3 normal", .verdict = Verdict::fail, .explanation = "race at x.cu:7"};

}  // namespace

TEST_CASE("a race that the GPU does not show fails the check, with its line") {
  const Finding race{.kind = FindingKind::race, .file = "x.cu", .line = 7, .message = "m"};
  Report both = report_of("gpu", Verdict::pass, {small, large});
  both.device = "NVIDIA H200";
  add_emulated(report_of("emulator", Verdict::fail, {failed_small}, {race}), both);
  CHECK(both.backend == "both");
  CHECK(both.device == "NVIDIA H200");
  CHECK(both.verdict == Verdict::fail);
  REQUIRE(both.cases.size() == 2);
  CHECK(both.cases[0].explanation == "race at x.cu:7");
  CHECK(both.cases[1].verdict == Verdict::pass);
  REQUIRE(both.findings.size() == 1);
  CHECK(both.findings[0].line == 7);
}

TEST_CASE("wrong values on the GPU stay the result, and the emulator adds the line") {
  const Finding guard{.kind = FindingKind::out_of_bounds, .message = "m"};
  const Finding located{
      .kind = FindingKind::out_of_bounds, .file = "x.cu", .line = 9, .message = "m"};
  const CaseResult wrong{.name = "3 normal", .verdict = Verdict::fail, .bad = 2};
  Report both = report_of("gpu", Verdict::fail, {wrong}, {guard});
  add_emulated(report_of("emulator", Verdict::fail, {failed_small}, {located}), both);
  CHECK(both.cases[0].bad == 2);
  REQUIRE(both.findings.size() == 1);
  CHECK(both.findings[0].line == 9);
}

TEST_CASE("what only the emulator cannot run passes on both backends") {
  for (const auto kind : {FindingKind::timeout, FindingKind::crash, FindingKind::unsupported}) {
    Report both = report_of("gpu", Verdict::pass, {small});
    add_emulated(
        report_of("emulator", Verdict::fail, {failed_small}, {{.kind = kind, .message = "m"}}),
        both);
    CHECK(both.verdict == Verdict::pass);
    CHECK(both.findings.empty());
  }
  Report both = report_of("gpu", Verdict::pass, {small});
  add_emulated(report_of("emulator", Verdict::error, {}), both);
  CHECK(both.verdict == Verdict::pass);
}

TEST_CASE("advice and counts come from the emulator, and a pass stays one") {
  const Finding advice{
      .kind = FindingKind::uncoalesced, .severity = Severity::advice, .line = 4, .message = "m"};
  Report emulated = report_of("emulator", Verdict::pass, {small}, {advice});
  emulated.kernels = {{.name = "kernel"}};
  Report both = report_of("gpu", Verdict::pass, {small});
  add_emulated(emulated, both);
  CHECK(both.verdict == Verdict::pass);
  CHECK(both.findings.size() == 1);
  CHECK(both.kernels.size() == 1);
}
