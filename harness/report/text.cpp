#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "report/layout.h"
#include "report/lines.h"
#include "report/tables.h"
#include "support/paths.h"

namespace kata {
namespace {

using namespace layout;

constexpr std::size_t most_findings = 5;
constexpr std::size_t most_output_lines = 8;
constexpr std::size_t most_lines_of_detail = 12;  // of the compiler's words, where brief

bool is_advice(const Finding& finding) {
  return finding.severity == Severity::advice;
}

/// What is wrong, nearest to the cause first. What was never written, and what changes at each run,
/// the explanations say.
std::vector<Finding> by_cause(const Report& report) {
  std::vector<Finding> findings;
  std::copy_if(report.findings.begin(), report.findings.end(), std::back_inserter(findings),
               [](const Finding& one) {
                 return one.kind != FindingKind::output_incomplete &&
                        one.kind != FindingKind::nondeterministic && !is_advice(one);
               });
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::pair(a.severity, a.kind) < std::pair(b.severity, b.kind);
  });
  return findings;
}

/// Times or estimates alone: nothing was judged.
bool is_bench(const Report& report) {
  return report.verdict == Verdict::pass && report.cases.empty();
}

std::string verdict_line(const Report& report, bool color) {
  if (is_bench(report)) return paint(report.operator_name, Color::bold, color) + "\n";
  static constexpr const char* words[] = {"PASS", "FAIL", "ERROR", "NOT ATTEMPTED"};
  static constexpr Color colors[] = {Color::green, Color::red, Color::red, Color::yellow};
  const auto which = static_cast<std::size_t>(report.verdict);
  std::string line = paint(words[which], colors[which], color);
  if (!report.operator_name.empty()) line += "  " + paint(report.operator_name, Color::bold, color);
  if (!report.candidate.empty()) line += "  " + report.candidate;
  if (report.verdict == Verdict::pass || report.verdict == Verdict::fail) {
    const std::string run = fmt::format("  ({}, seed {})", report.device, report.seed);
    const std::size_t columns = std::string_view(words[which]).size() + 2 +
                                report.operator_name.size() + 2 + report.candidate.size() +
                                run.size();
    line += (columns > width ? "\n" : "") + paint(run, Color::dim, color);
  }
  return line + "\n";
}

std::string source_line(const std::string& path, int wanted) {
  std::ifstream file(path);
  std::string line;
  for (int i = 0; i < wanted; ++i) {
    if (!std::getline(file, line)) return {};
  }
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

/// "    5 | the code", broken at spaces where it is wider than the page: what is meant is often at
/// the end of a long line, so nothing but the endless is cut.
std::string excerpt(int number, std::string code) {
  constexpr std::size_t most_rows = 4;
  std::string text;
  for (std::size_t row = 0; !code.empty(); ++row) {
    const std::string margin =
        row == 0 ? fmt::format("  {:>6} | ", number) : fmt::format("  {:>6} |   ", "");
    const std::size_t left = width - margin.size();
    if (code.size() <= left) return text + margin + code + "\n";
    if (row + 1 == most_rows) return text + margin + code.substr(0, left - 3) + "...\n";
    const std::size_t space = code.rfind(' ', left);
    const std::size_t end = space == std::string::npos || space == 0 ? left : space;
    text += margin + code.substr(0, end) + "\n";
    code.erase(0, code.find_first_not_of(' ', end));
  }
  return text;
}

std::string finding_text(const Finding& finding, bool color) {
  std::string head = paint(to_string(finding.kind),
                           finding.severity == Severity::error ? Color::red : Color::yellow, color);
  if (!finding.file.empty()) {
    head = paint(finding.line > 0 ? fmt::format("{}:{}", shown(finding.file), finding.line)
                                  : shown(finding.file),
                 Color::bold, color) +
           "  " + head;
  }
  if (!finding.kernel.empty()) head += " in " + finding.kernel;
  std::string text = "  " + head + "\n";
  const std::string line = finding.line > 0 ? source_line(finding.file, finding.line) : "";
  if (!line.empty()) text += excerpt(finding.line, line);
  return text + paragraph(finding.message, 4) + "\n";
}

/// What would make it faster: for who has it right.
std::string advice_text(const Report& report, bool color) {
  std::string text;
  for (const Finding& one : report.findings) {
    if (is_advice(one)) text += finding_text(one, color);
  }
  return text;
}

std::string lines_text(const Report& report, bool color) {
  const std::string lines = annotated_lines(report.kernels, report.findings, color);
  return lines.empty() ? paragraph(
                             "Nothing was counted by line: the largest case did not run to "
                             "its end. --size names another, e.g. --size 64x64.",
                             2) +
                             "\n"
                       : lines;
}

std::string findings_text(const std::vector<Finding>& findings, const TextOptions& options) {
  const std::size_t most = options.brief ? 1 : most_findings;
  std::string text;
  for (std::size_t i = 0; i < std::min(findings.size(), most); ++i) {
    text += finding_text(findings[i], options.color);
  }
  if (findings.size() > most) {
    text += fmt::format("  and {} more finding{} ({})\n\n", findings.size() - most,
                        findings.size() == most + 1 ? "" : "s",
                        options.brief ? "the whole check shows them" : "--json shows all");
  }
  return text;
}

std::string counted_cases(const Report& report) {
  const auto right =
      std::count_if(report.cases.begin(), report.cases.end(),
                    [](const CaseResult& one) { return one.verdict == Verdict::pass; });
  const std::size_t all = report.cases.size() + static_cast<std::size_t>(report.cases_not_run);
  const std::string not_run =
      report.cases_not_run > 0 ? fmt::format(", {} not run", report.cases_not_run) : "";
  return all > 0 ? fmt::format("  {} of {} cases right{}\n\n", right, all, not_run) : "";
}

/// "51 of 17391 wrong", or "wrong" for a single number.
std::string how_many(const CaseResult& one) {
  return one.of == 1 ? "wrong" : fmt::format("{} of {} wrong", one.bad, one.of);
}

/// What is wrong, in the case that teaches most.
std::string why(const CaseResult& failure) {
  std::string text = paragraph(failure.explanation, 2);
  if (failure.first_bad) {
    const std::string first =
        fmt::format("{} is {} and should be {}", failure.first_bad->element,
                    number(failure.first_bad->got), number(failure.first_bad->want));
    const bool said = failure.explanation.find(first) != std::string::npos;
    text += paragraph(fmt::format("(case {}: {}{}{})", failure.name, how_many(failure),
                                  said ? "" : "; first, ", said ? "" : first),
                      2);
  }
  return text.empty() ? text : text + "\n";
}

std::string passed_cases(const Report& report) {
  std::string names;
  std::size_t passed = 0;
  for (const CaseResult& one : report.cases) {
    if (one.verdict != Verdict::pass) continue;
    names += (names.empty() ? "" : ", ") + one.name;
    ++passed;
  }
  if (passed == 0) return {};
  return paragraph(fmt::format("{} case{} right: {}", passed, passed == 1 ? "" : "s", names), 2);
}

/// `told` is the case whose explanation stands above.
std::string failed_case(const CaseResult& one, const CaseResult* told, bool color) {
  const std::string mark =
      paint(one.verdict == Verdict::error ? "----" : "FAIL", Color::red, color);
  std::string text = fmt::format("  {} {}", mark, one.name);
  if (one.verdict == Verdict::error) return text + "  not judged: " + one.explanation + "\n";
  text += one.bad > 0 ? "  " + how_many(one) + "\n" : "\n";
  const bool repeats = told && one.explanation == told->explanation;
  return repeats ? text : text + paragraph(one.explanation, 7);
}

std::string cases_text(const Report& report, const CaseResult* told, bool color) {
  std::string text = passed_cases(report);
  for (const CaseResult& one : report.cases) {
    if (one.verdict != Verdict::pass) text += failed_case(one, told, color);
  }
  if (report.cases_not_run > 0) {
    text += fmt::format("  {} more case{} not run\n", report.cases_not_run,
                        report.cases_not_run == 1 ? " was" : "s were");
  }
  return text.empty() ? text : text + "\n";
}

/// Where a person writes: the stub's untouched copy is not the place.
std::string place_to_write(const Report& report) {
  const bool is_copy = report.candidate == shown(stub(report.operator_name));
  return is_copy ? shown(exercise(report.operator_name)) : report.candidate;
}

/// What a command line needs to name this candidate again.
std::string name_of(const Report& report) {
  const bool is_exercise = place_to_write(report) == shown(exercise(report.operator_name));
  return is_exercise ? report.operator_name : report.candidate;
}

/// "softmax_rows is at rung 3 of 5 (3_online). Next: ..."
std::string level_text(const Report& report) {
  if (!report.level || report.verdict != Verdict::pass) return {};
  const Level& level = *report.level;
  std::string text =
      fmt::format("{} is at rung {} of {}, {}", name_of(report), level.rung, level.of, level.name);
  if (!level.same.empty()) {
    text += fmt::format(" (its traffic here is also that of {})", fmt::join(level.same, ", "));
  }
  text += level.next_idea.empty() ? ": the top of the ladder."
                                  : fmt::format(". The next rung's idea: {}", level.next_idea);
  return paragraph(text, 2) + "\n";
}

std::string next_step(const Report& report, const std::vector<Finding>& findings) {
  const std::string kata = command_name();
  const std::string again = fmt::format("{} check {}", kata, name_of(report));
  switch (report.verdict) {
    case Verdict::pass:
      return fmt::format("Next: compare with the ladder\n  {} show {}\n", kata,
                         report.operator_name);
    case Verdict::fail: {
      const bool has_line = !findings.empty() && findings[0].line > 0;
      const std::string place =
          has_line ? fmt::format("{}:{}", shown(findings[0].file), findings[0].line)
                   : report.candidate;
      return fmt::format("Next: look at {}; again with the same inputs:\n  {} --seed {}\n", place,
                         again, report.seed);
    }
    case Verdict::not_attempted:
      return fmt::format("Next: write the kernel in {}, then\n  {}\n", place_to_write(report),
                         again);
    case Verdict::error:
      break;
  }
  return {};
}

}  // namespace

std::string to_text(const Report& report, const TextOptions& options) {
  return verdict_text(report, options) + ladder_text(report, options);
}

std::string findings_text(const Report& report, const TextOptions& options) {
  return findings_text(by_cause(report), options);
}

std::string advice_text(const Report& report, const TextOptions& options) {
  return advice_text(report, options.color);
}

std::string verdict_text(const Report& report, const TextOptions& options) {
  const bool color = options.color;
  const std::vector<Finding> findings = by_cause(report);
  std::string text = verdict_line(report, color);
  if (report.verdict == Verdict::error) {
    text += paragraph(report.error, 2);
    if (!report.detail.empty() && options.brief) {
      return text + "\n" + verbatim(report.detail, 0, most_lines_of_detail);
    }
    if (!report.detail.empty())
      text += "\n" + report.detail + (report.detail.ends_with('\n') ? "" : "\n");
    return text;
  }
  if (report.verdict == Verdict::not_attempted) {
    text += "  The stub is as it was: there is nothing to judge yet.\n";
  }
  text += "\n";
  const CaseResult* failure = most_specific_failure(report);
  if (failure) text += why(*failure);
  text += findings_text(findings, options);
  text += options.brief ? counted_cases(report) : cases_text(report, failure, color);
  if (options.lines) {
    text += lines_text(report, color);
  } else if (report.verdict == Verdict::pass && !options.brief) {
    text += advice_text(report, color);
  }
  if (!report.output.empty()) {
    text += "  It printed:\n" + verbatim(report.output, 4, most_output_lines) + "\n";
  }
  return text;
}

std::string ladder_text(const Report& report, const TextOptions& options) {
  if (report.verdict == Verdict::error) return {};
  return timing_tables(report, options.color) + counts_table(report, options.color) +
         level_text(report) + estimates_tables(report, options.color) +
         next_step(report, by_cause(report));
}

}  // namespace kata
