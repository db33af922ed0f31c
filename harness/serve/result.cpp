// A report as a part of the exercise's page.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "report/html/views.h"
#include "report/text/text.h"
#include "serve/pages.h"

namespace kata::serve {
namespace {

using Json = nlohmann::json;

/// The compiler's errors in the person's own file, as it prints them.
Json compile_errors(const Report& report) {
  static const std::regex error(R"(([^\n]+):(\d+):(\d+): (?:fatal )?error: ([^\n]*))");
  Json rows = Json::array();
  const std::string& words = report.detail;
  for (std::sregex_iterator one(words.begin(), words.end(), error), end; one != end; ++one) {
    if ((*one)[1].str() != report.candidate) continue;
    rows.push_back({{"severity", "error"},
                    {"kind", "does not compile"},
                    {"line", std::stoi((*one)[2])},
                    {"column", std::stoi((*one)[3])},
                    {"message", (*one)[4].str()},
                    {"note", Json()}});
  }
  return rows;
}

/// Where a right candidate stands among the rungs: what the terminal says below its tables.
std::string level_of(const Report& report) {
  if (report.verdict != Verdict::pass || !report.level) return {};
  std::string text = ladder_text(report);
  text.erase(text.find_last_not_of('\n') + 1);
  text.erase(0, text.rfind("\n\n") + 2);
  const std::string mark = " (=)";  // at the rung's row in the terminal's table
  if (const std::size_t at = text.find(mark); at != std::string::npos) text.erase(at, mark.size());
  return text;
}

/// The terminal's next step without its command, which the page has buttons for.
std::string step_of(const Report& report) {
  const std::string text = next_step_text(report);
  return report.verdict == Verdict::pass ? text.substr(0, text.find('\n')) : "";
}

/// Null for nothing, which a template leaves out.
Json unless_empty(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

/// The times of one size: measured on the GPU, else estimated; yours among the rungs.
std::vector<PageRow> times_of(const Report& report) {
  std::vector<PageRow> rows;
  if (!report.timing.empty()) {
    for (const TimingRow& one : report.timing) {
      if (one.size != report.timing.front().size || !one.error.empty()) continue;
      rows.push_back(
          {.kind = one.kind, .name = one.name, .us = one.median_us, .of_limit = one.of_limit});
    }
    return rows;
  }
  double least = 0;
  for (const Estimate& one : report.estimates) {
    const bool counts = one.error.empty() && one.us > 0 && one.size == shown_size(report);
    if (!counts) continue;
    if (least == 0 || one.us < least) least = one.us;
    rows.push_back({.kind = one.kind, .name = one.name, .us = one.us, .estimated = true});
  }
  for (PageRow& row : rows) row.of_limit = least / row.us;  // the best has the longest bar
  return rows;
}

Json failure_of(const Report& report) {
  const CaseResult* const failure = most_specific_failure(report);
  if (!failure) return {};
  Json values = {{"case_name", failure->name},
                 {"explanation", words_of(failure->explanation)},
                 {"element", Json()}};
  if (failure->first_bad) {
    values["element"] = failure->first_bad->element;
    values["got"] = fmt::format("{:.9g}", failure->first_bad->got);
    values["want"] = fmt::format("{:.9g}", failure->first_bad->want);
  }
  return values;
}

}  // namespace

Json words_of(const std::string& text) {
  Json parts = Json::array();
  bool is_code = false;
  for (std::size_t begin = 0; begin <= text.size(); is_code = !is_code) {
    const std::size_t end = std::min(text.find('`', begin), text.size());
    parts.push_back({{"part", text.substr(begin, end - begin)}, {"code", is_code}});
    begin = end + 1;
  }
  return parts;
}

Json finding_rows(const std::vector<Finding>& findings) {
  Json rows = Json::array();
  for (const Finding& one : findings) {
    rows.push_back({{"severity", to_string(one.severity)},
                    {"kind", to_string(one.kind)},
                    {"line", one.line > 0 ? Json(one.line) : Json()},
                    {"column", one.column > 0 ? Json(one.column) : Json()},
                    {"message", one.message},
                    {"note", unless_empty(one.note)}});
  }
  return rows;
}

Json finding_rows(const Report& report) {
  Json rows = finding_rows(report.findings);
  if (report.verdict != Verdict::error) return rows;
  for (Json& row : compile_errors(report)) rows.push_back(std::move(row));
  return rows;
}

Result<std::string> Pages::result(const Report& report, const std::string& text) const {
  const std::vector<PageRow> times = times_of(report);
  const bool measured = !report.timing.empty();
  Json findings = finding_rows(report);
  for (Json& row : findings) {
    row["message"] = words_of(row["message"]);
    if (!row["note"].is_null()) row["note"] = {{"words", words_of(row["note"])}};
  }
  const PageRow yours{.kind = RowKind::yours,
                      .name = yours_name,
                      .path = report.candidate,
                      .source = text,
                      .kernels = report.kernels};
  Json values = {{"verdict", verdict_text(report)},
                 {"cases", unless_empty(report.verdict == Verdict::fail ? cases_text(report) : "")},
                 {"passed", report.verdict == Verdict::pass},
                 {"detail", unless_empty(report.detail)},
                 {"findings", findings},
                 {"level", unless_empty(level_of(report))},
                 {"step", unless_empty(step_of(report))},
                 {"failure", failure_of(report)},
                 {"text", to_text(report)},
                 {"printed", unless_empty(report.output)},
                 {"times", Json()},
                 {"heat", Json()},
                 {"line_links", false}};
  if (!times.empty()) {
    values["times"] = {
        {"size", measured ? report.timing.front().size : shown_size(report)},
        {"measured", measured},
        {"origin", measured ? "measured on " + report.device : "estimated for " + report.chip},
        {"bars", html::bars(times)}};
  }
  if (!report.kernels.empty()) values["heat"] = {{"lines", html::code(yours, true)}};
  return templates_.fill_in("result.html", values);
}

}  // namespace kata::serve
