#include "report/report.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace kata {

int exit_status(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return 0;
    case Verdict::fail:
      return 1;
    case Verdict::error:
      return 2;
    case Verdict::not_attempted:
      return 77;
  }
  return 2;
}

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::error:
      return "error";
    case Verdict::not_attempted:
      return "not_attempted";
  }
  return "error";
}

Verdict verdict_from(const std::string& text) {
  for (Verdict verdict : {Verdict::pass, Verdict::fail, Verdict::not_attempted}) {
    if (text == to_string(verdict)) return verdict;
  }
  return Verdict::error;
}

void add_code(const std::vector<CodeBlock>& lines, std::vector<CodeBlock>& all) {
  for (const CodeBlock& one : lines) {
    const auto at = std::ranges::lower_bound(all, one.line, {}, &CodeBlock::line);
    if (at != all.end() && at->line == one.line) {
      at->ran |= one.ran;
    } else {
      all.insert(at, one);
    }
  }
}

std::vector<int> unreached_lines(const Report& report) {
  std::vector<int> lines;
  for (const CodeBlock& one : report.code)
    if (!one.ran) lines.push_back(one.line);
  return lines;
}

std::vector<std::string> rungs_without_estimate(const std::vector<Estimate>& rows,
                                                const std::string& size) {
  std::vector<std::string> names;
  for (const Estimate& row : rows) {
    if (row.kind == RowKind::rung && row.size == size && !(row.us > 0)) names.push_back(row.name);
  }
  return names;
}

double times_of_best(const SizeLevel& size) {
  return std::max(1.0, 1 / size.of_best);
}

double typical_of_best(const Level& level) {
  double sum = 0;
  for (const SizeLevel& one : level.sizes) sum += std::log(times_of_best(one));
  return std::exp(sum / static_cast<double>(level.sizes.size()));
}

std::string shown_size(const Report& report) {
  if (report.level && !report.level->size.empty()) return report.level->size;
  return report.estimates.empty() ? "" : report.estimates.front().size;
}

CaseCount count_cases(const Report& report) {
  CaseCount count{.right = 0, .of = report.cases_not_run};
  for (const CaseResult& one : report.cases) {
    count.of += !one.large;
    count.right += !one.large && one.verdict == Verdict::pass;
  }
  return count;
}

const CaseResult* most_specific_failure(const Report& report) {
  const CaseResult* best = nullptr;
  const Finding* const cause = first_error(report.findings);
  const auto value = [&](const CaseResult& one) {
    const bool is_of_cause =
        one.explanation_kind == ExplanationKind::finding && cause && cause->seen_in == one.tested;
    return std::tuple(one.explanation_kind, one.bad > 0 ? one.of : 0, is_of_cause);
  };
  for (const CaseResult& one : report.cases) {
    if (one.verdict != Verdict::fail) continue;
    if (!best || value(one) >= value(*best)) best = &one;
  }
  return best;
}

}  // namespace kata
