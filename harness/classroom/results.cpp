#include "classroom/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <span>
#include <sstream>

#include "report/layout.h"
#include "report/text/text.h"
#include "support/files.h"
#include "support/paths.h"

namespace kata {
namespace {

constexpr std::size_t most_listed = 4, most_named = 20, most_pairs = 3;  // in the terminal

using Ordered = nlohmann::ordered_json;  // keys as the formats have them

/// A field of a spreadsheet, in which a text that begins like a formula stays a text.
std::string csv_cell(const std::string& text) {
  const bool is_formula =
      !text.empty() && std::string("=+-@\t\r").find(text[0]) != std::string::npos;
  std::string quoted = is_formula ? "\"'" : "\"";
  for (const char letter : text)
    quoted += letter == '"' ? std::string("\"\"") : std::string{letter};
  return quoted + "\"";
}

std::string dumped(const Ordered& json) {
  return json.dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

/// XML 1.0 has no control characters, and pugixml writes any byte.
std::string printable(std::string text) {
  for (char& letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20 && letter != '\n' && letter != '\t') letter = ' ';
  }
  return text;
}

/// The error that is nearest to the cause; null if there is none.
const Finding* cause_of(const std::vector<Finding>& findings) {
  const auto first = std::ranges::min_element(findings, is_nearer_to_cause);
  return first != findings.end() && first->severity == Severity::error ? &*first : nullptr;
}

/// "relu.cu:10: out_of_bounds"
std::string place_of(const Finding& finding) {
  const std::string file = std::filesystem::path(finding.file).filename();
  const std::string line = finding.line > 0 ? fmt::format("{}:{}: ", file, finding.line) : "";
  return line + to_string(finding.kind);
}

std::string task_of(const JudgedHandIn& outcome) {
  const std::string& name = outcome.report.operator_name;
  return name.empty() ? outcome.submission.file.stem().string() : name;
}

}  // namespace

std::string words_of(Verdict verdict) {
  return verdict == Verdict::not_attempted ? "not attempted" : to_string(verdict);
}

std::uint64_t points_of(const JudgedHandIn& outcome, std::uint64_t points) {
  return outcome.report.verdict == Verdict::pass ? points : 0;
}

std::string counts_of(const std::vector<JudgedHandIn>& outcomes) {
  const auto count = [&](Verdict verdict) {
    return std::count_if(outcomes.begin(), outcomes.end(),
                         [&](const JudgedHandIn& one) { return one.report.verdict == verdict; });
  };
  return fmt::format("{} submissions: {} pass, {} fail, {} error, {} not attempted",
                     outcomes.size(), count(Verdict::pass), count(Verdict::fail),
                     count(Verdict::error), count(Verdict::not_attempted));
}

std::string summary_of(const Report& report) {
  if (report.verdict == Verdict::not_attempted) return "the stub is unchanged";
  if (!report.error.empty()) return report.error;
  const CaseResult* const failure = most_specific_failure(report);
  const bool is_explained = failure && !failure->explanation.empty() &&
                            failure->explanation_kind != ExplanationKind::finding;
  if (const Finding* const cause = cause_of(report.findings); cause && !is_explained)
    return fmt::format("{}: {}", place_of(*cause), cause->message);
  if (is_explained) return failure->explanation;
  if (report.level) return fmt::format("rung {} of {}", report.level->rung, report.level->of);
  return {};
}

std::string to_text(const ClassResults& results) {
  std::string text = fmt::format("{}\n", counts_of(results.outcomes));
  std::size_t listed = 0;
  const auto failed =
      static_cast<std::size_t>(std::ranges::count_if(results.outcomes, [](const JudgedHandIn& one) {
        return one.report.verdict != Verdict::pass;
      }));
  // To say that one more is left out is no shorter than to list it.
  const std::size_t most = failed == most_listed + 1 ? failed : most_listed;
  std::vector<std::string> more;
  for (const JudgedHandIn& one : results.outcomes) {
    const Verdict verdict = one.report.verdict;
    if (verdict == Verdict::pass) continue;
    if (++listed > most) {
      more.push_back(one.submission.title());
      continue;
    }
    const auto [right, of] = count_cases(one.report);
    text += fmt::format("\n  {}: {}{}\n", one.submission.title(), words_of(verdict),
                        of > 0 ? fmt::format(", {} of {} cases right", right, of) : "");
    text += layout::verbatim(summary_of(one.report), 6, 2);
  }
  if (!more.empty()) {
    const std::span named = std::span(more).first(std::min(most_named, more.size()));
    text += "\n" +
            layout::paragraph(fmt::format("and {} more that {} not pass: {}{}", more.size(),
                                          more.size() == 1 ? "does" : "do", fmt::join(named, ", "),
                                          named.size() < more.size() ? ", ..." : ""),
                              2);
  }
  if (!results.similar.empty()) text += "\n";
  for (std::size_t i = 0; i < std::min(most_pairs, results.similar.size()); ++i) {
    const Similar& one = results.similar[i];
    text += fmt::format("  similar: {} and {}, {} %\n", one.one, one.other, one.percent);
  }
  if (results.similar.size() > most_pairs)
    text += fmt::format("  and {} more pairs\n", results.similar.size() - most_pairs);
  return text;
}

std::string to_json_text(const ClassResults& results) {
  Ordered rows = Ordered::array(), similar = Ordered::array();
  for (const JudgedHandIn& one : results.outcomes) {
    const auto [right, of] = count_cases(one.report);
    rows.push_back({{"person", one.submission.person},
                    {"file", one.submission.file.filename().string()},
                    {"operator", one.report.operator_name},
                    {"verdict", to_string(one.report.verdict)},
                    {"points", points_of(one, results.points)},
                    {"cases_right", right},
                    {"cases_of", of},
                    {"rung", one.report.level ? one.report.level->rung : 0},
                    {"seconds", one.seconds},
                    {"summary", summary_of(one.report)}});
  }
  for (const Similar& one : results.similar)
    similar.push_back({{"one", one.one}, {"other", one.other}, {"percent", one.percent}});
  return dumped({{"schema", 1}, {"submissions", rows}, {"similar", similar}});
}

std::string to_csv(const ClassResults& results) {
  std::string text =
      "person,file,operator,verdict,points,cases_right,cases,rung,rungs,seconds,summary\n";
  for (const JudgedHandIn& one : results.outcomes) {
    const Report& report = one.report;
    const auto [right, of] = count_cases(report);
    text += fmt::format("{},{},{},{},{},{},{},{},{},{:.1f},{}\n", csv_cell(one.submission.person),
                        csv_cell(one.submission.file.filename().string()),
                        csv_cell(report.operator_name), to_string(report.verdict),
                        points_of(one, results.points), right, of,
                        report.level ? std::to_string(report.level->rung) : "",
                        report.level ? std::to_string(report.level->of) : "", one.seconds,
                        csv_cell(summary_of(report)));
  }
  return text;
}

std::string to_junit(const ClassResults& results) {
  pugi::xml_document document;
  pugi::xml_node suite = document.append_child("testsuites").append_child("testsuite");
  suite.append_attribute("name") = "kata grade";
  suite.append_attribute("tests") = static_cast<unsigned>(results.outcomes.size());
  for (const JudgedHandIn& one : results.outcomes) {
    pugi::xml_node test = suite.append_child("testcase");
    test.append_attribute("classname") = printable(task_of(one)).c_str();
    test.append_attribute("name") = printable(one.submission.title()).c_str();
    test.append_attribute("time") = fmt::format("{:.3f}", one.seconds).c_str();
    const Verdict verdict = one.report.verdict;
    if (verdict == Verdict::pass) continue;
    pugi::xml_node child = test.append_child(verdict == Verdict::fail    ? "failure"
                                             : verdict == Verdict::error ? "error"
                                                                         : "skipped");
    child.append_attribute("message") = printable(summary_of(one.report)).c_str();
    child.text() = printable(to_text(one.report)).c_str();
  }
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

std::string to_gradescope(const std::vector<const JudgedHandIn*>& outcomes, std::uint64_t points) {
  Ordered tests = Ordered::array();
  double seconds = 0;
  std::uint64_t score = 0;
  for (const JudgedHandIn* one : outcomes) {
    seconds += one->seconds;
    score += points_of(*one, points);
    tests.push_back({{"name", task_of(*one)},
                     {"score", points_of(*one, points)},
                     {"max_score", points},
                     {"status", one->report.verdict == Verdict::pass ? "passed" : "failed"},
                     {"output", to_text(one->report)}});
  }
  return dumped({{"score", score}, {"execution_time", seconds}, {"tests", tests}});
}

std::string to_github_classroom(const std::vector<const JudgedHandIn*>& outcomes,
                                std::uint64_t points) {
  Ordered tests = Ordered::array();
  bool passes = true, error = false;
  for (const JudgedHandIn* one : outcomes) {
    const Verdict verdict = one->report.verdict;
    passes = passes && verdict == Verdict::pass;
    error = error || verdict == Verdict::error;
    tests.push_back({{"name", task_of(*one)},
                     {"status", verdict == Verdict::pass    ? "pass"
                                : verdict == Verdict::error ? "error"
                                                            : "fail"},
                     {"score", points_of(*one, points)},
                     {"message", to_text(one->report)},
                     {"test_code", fmt::format("kata check {}", task_of(*one))},
                     {"filename", ""},
                     {"line_no", 0},
                     {"execution_time", fmt::format("{:.1f}s", one->seconds)}});
  }
  return dumped({{"version", 1},
                 {"status", passes  ? "pass"
                            : error ? "error"
                                    : "fail"},
                 {"max_score", points * outcomes.size()},
                 {"tests", tests}});
}

std::optional<Error> write_results(const ClassResults& results,
                                   const std::filesystem::path& folder) {
  const Result<std::string> page = to_page(results);
  if (!page) return page.error();
  std::vector<std::pair<std::filesystem::path, std::string>> files{
      {"index.html", *page}, {"junit.xml", to_junit(results)}};
  std::map<std::string, std::vector<const JudgedHandIn*>> people;
  for (const JudgedHandIn& one : results.outcomes) people[one.submission.person].push_back(&one);
  for (const auto& [name, outcomes] : people) {
    const std::filesystem::path own = std::filesystem::path("people") / name;
    std::string text;
    for (const JudgedHandIn* one : outcomes) text += to_text(one->report) + "\n";
    files.push_back({own / "report.txt", text});
    files.push_back({own / "results.json", to_gradescope(outcomes, results.points)});
    files.push_back({own / "github-classroom.json", to_github_classroom(outcomes, results.points)});
  }
  files.push_back({"results.csv", to_csv(results)});
  for (const auto& [path, content] : files) {
    const std::string failed = write_file(folder / path, content);
    if (!failed.empty())
      return Error{fmt::format("cannot write {}: {}", shown(folder / path), failed)};
  }
  return {};
}

}  // namespace kata
