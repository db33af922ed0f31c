#include "grading/uninitialized.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kata {
namespace {

bool same_results(const Report& a, const Report& b) {
  const auto same = [](const CaseResult& x, const CaseResult& y) {
    return x.verdict == y.verdict && x.max_error == y.max_error && x.bad == y.bad;
  };
  return a.verdict == b.verdict &&
         std::equal(a.cases.begin(), a.cases.end(), b.cases.begin(), b.cases.end(), same);
}

bool warned(const UninitializedLocal& local) {
  return local.warned;
}

}  // namespace

std::vector<Finding> findings_of(const std::vector<UninitializedLocal>& locals, bool matter) {
  std::vector<Finding> findings;
  const bool any_warned = std::any_of(locals.begin(), locals.end(), warned);
  for (const UninitializedLocal& local : locals) {
    if (!local.warned && (any_warned || !matter)) continue;
    const std::string declared = local.declared > 0 && local.warned
                                     ? fmt::format(" (declared in line {})", local.declared)
                                     : "";
    findings.push_back(
        {.kind = FindingKind::uninitialized,
         .severity = matter || local.certain ? Severity::error : Severity::warning,
         .file = local.file.string(),
         .line = local.line,
         .message = fmt::format("the local variable {}{} {} read before anything is written to it",
                                local.name, declared, local.certain ? "is" : "may be"),
         .note = "give it an initial value"});
  }
  return findings;
}

void judge_uninitialized(const std::vector<UninitializedLocal>& locals,
                         const std::function<Report()>& judge_again, Report& report) {
  const bool any_warned = std::any_of(locals.begin(), locals.end(), warned);
  if (locals.empty() || report.verdict == Verdict::error) return;
  if (!any_warned && report.verdict == Verdict::fail) return;
  Report again = judge_again();
  const bool matter = again.verdict != Verdict::error && !same_results(report, again);
  if (report.verdict == Verdict::pass && again.verdict == Verdict::fail) report = std::move(again);
  const std::vector<Finding> findings = findings_of(locals, matter);
  report.findings.insert(report.findings.begin(), findings.begin(), findings.end());
  if (first_error(findings)) report.verdict = Verdict::fail;
}

}  // namespace kata
