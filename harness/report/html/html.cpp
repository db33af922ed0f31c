#include "report/html/html.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/html/templates.h"
#include "report/html/views.h"
#include "report/layout.h"
#include "report/text/highlight.h"

namespace kata {
namespace {

using Json = nlohmann::json;

/// Of the ladder at one case: a row for each that was counted.
Json counters(const Page& page) {
  Json rows = Json::array();
  for (const PageRow& row : page.rows) {
    if (row.kernels.empty()) continue;
    const CountRow& one = row.counts;
    Json counts = Json::array();
    for (const std::uint64_t count :
         {one.launches, one.global_bytes, one.sectors, one.ideal_sectors, one.wavefronts,
          one.conflicts, one.atomics, one.barriers}) {
      counts.push_back(layout::short_number(count));
    }
    rows.push_back({{"name", row.name}, {"counts", counts}});
  }
  return rows.empty() ? Json() : Json{{"counted_case", page.counted_case}, {"rows", rows}};
}

/// A text beside a difference; closed until a person wants to see it, but for their own.
Json entry(const PageRow& row, const std::string& other_title, const Json& changes) {
  const Header header = header_of(row.source);
  Json result = {{"name", row.name},
                 {"path", row.path},
                 {"open", row.kind == RowKind::yours},
                 {"idea", header.paragraphs.empty() ? "" : header.paragraphs[0]},
                 {"paragraphs", Json::array()},
                 {"lines", html::code(row)},
                 {"change", Json()}};
  for (std::size_t i = 1; i < header.paragraphs.size(); ++i)
    result["paragraphs"].push_back(header.paragraphs[i]);
  if (!other_title.empty()) {
    result["change"] = {{"heading", other_title}, {"alike", changes.empty()}, {"changed", changes}};
  }
  return result;
}

/// The person's own text first, beside the last rung; then each rung with what it changed.
Json sources(const Page& page) {
  const PageRow* yours = nullptr;
  const PageRow* before = nullptr;
  Json entries = Json::array();
  for (const PageRow& row : page.rows) {
    if (row.kind == RowKind::yours) yours = &row;
    if (row.kind != RowKind::rung) continue;
    entries.push_back(before ? entry(row, "What changed since " + before->name,
                                     html::difference(before->source, row.source))
                             : entry(row, "", {}));
    before = &row;
  }
  if (yours && before) {
    entries.insert(entries.begin(), entry(*yours, before->name + " beside it",
                                          html::difference(yours->source, before->source)));
  }
  return entries;
}

}  // namespace

Json html::section(const Page& page) {
  const bool estimated = std::any_of(page.rows.begin(), page.rows.end(),
                                     [](const PageRow& row) { return row.estimated; });
  return {{"operator", page.operator_name},
          {"summary", page.summary},
          {"declaration", page.declaration},
          {"verdict", page.verdict.empty() ? Json() : Json(page.verdict)},
          {"passed", page.passed},
          {"size", page.size},
          {"origin", page.origin},
          {"some_estimated", estimated},
          {"bars", html::bars(page.rows)},
          {"roofline", html::roofline(page)},
          {"counters", counters(page)},
          {"sources", sources(page)}};
}

Result<std::string> to_html(const std::vector<Page>& pages) {
  const Result<Templates> templates = Templates::read({"report/html"});
  if (!templates) return templates.error();
  const bool one = pages.size() == 1;
  Json report = {{"title", one ? "kata: " + pages.front().operator_name : "kata: the ladders"},
                 {"stylesheet", templates->text("style.css")},
                 {"several", !one},
                 {"alone", one},
                 {"operators", Json::array()}};
  for (const Page& page : pages) report["operators"].push_back(html::section(page));
  return templates->fill_in("report.html", report);
}

}  // namespace kata
