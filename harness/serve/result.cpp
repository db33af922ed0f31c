// A report as a part of the exercise's page.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/html/views.h"
#include "report/text/text.h"
#include "serve/pages.h"

namespace kata::serve {
namespace {

using Json = nlohmann::json;

Json findings_of(const Report& report) {
  Json rows = Json::array();
  for (const Finding& one : report.findings) {
    rows.push_back({{"severity", to_string(one.severity)},
                    {"finding", to_string(one.kind)},
                    {"at_line", one.line > 0 ? Json(one.line) : Json()},
                    {"message", one.message},
                    {"note", one.note.empty() ? Json() : Json(one.note)}});
  }
  return rows;
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
  Json values = {
      {"case_name", failure->name}, {"explanation", failure->explanation}, {"element", Json()}};
  if (failure->first_bad) {
    values["element"] = failure->first_bad->element;
    values["got"] = fmt::format("{:.9g}", failure->first_bad->got);
    values["want"] = fmt::format("{:.9g}", failure->first_bad->want);
  }
  return values;
}

}  // namespace

Result<std::string> Pages::result(const Report& report, const std::string& text) const {
  const std::vector<PageRow> times = times_of(report);
  const bool measured = !report.timing.empty();
  const PageRow yours{.kind = RowKind::yours,
                      .name = yours_name,
                      .path = report.candidate,
                      .source = text,
                      .kernels = report.kernels};
  Json values = {{"verdict", verdict_text(report)},
                 {"passed", report.verdict == Verdict::pass},
                 {"error", report.error.empty() ? Json() : Json(report.error)},
                 {"detail", report.detail.empty() ? Json() : Json(report.detail)},
                 {"findings", findings_of(report)},
                 {"failure", failure_of(report)},
                 {"text", to_text(report)},
                 {"printed", report.output.empty() ? Json() : Json(report.output)},
                 {"times", Json()},
                 {"heat", Json()},
                 {"line_links", false}};
  if (!times.empty()) {
    values["times"] = {
        {"size", measured ? report.timing.front().size : shown_size(report)},
        {"origin", measured ? "measured on " + report.device : "estimated for " + report.chip},
        {"bars", html::bars(times)}};
  }
  if (!report.kernels.empty()) values["heat"] = {{"lines", html::code(yours, true)}};
  return templates_.fill_in("result.html", values);
}

}  // namespace kata::serve
