#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "report/html/code_diff.h"
#include "report/html/views.h"
#include "report/launches.h"
#include "report/text/highlight.h"
#include "report/text/lines.h"

namespace kata::html {
namespace {

using Json = nlohmann::json;
using Marks = std::vector<std::pair<std::size_t, std::size_t>>;

const char* class_of(Style style) {
  switch (style) {
    case Style::comment:
      return "c";
    case Style::keyword:
      return "k";
    case Style::literal:
      return "l";
    case Style::directive:
      return "d";
    case Style::cuda:
      return "u";
    case Style::plain:
      break;
  }
  return nullptr;
}

Json span(Style style, const std::string& text, bool marked) {
  Json result = {{"text", text}, {"kind", false}, {"marked", marked}};
  if (const char* const name = class_of(style)) result["kind"] = name;
  return result;
}

/// A line's spans, cut where a mark begins or ends.
Json spans(const CodeLine& line, const Marks& marks = {}) {
  Json result = Json::array();
  std::size_t at = 0;
  for (const Span& one : line) {
    std::size_t done = 0;
    while (done < one.text.size()) {
      std::size_t end = one.text.size();
      bool marked = false;
      for (const auto& [from, to] : marks) {
        if (at + done < from) end = std::min(end, from - at);
        if (at + done >= from && at + done < to) {
          marked = true;
          end = std::min(end, to - at);
        }
      }
      result.push_back(span(one.style, one.text.substr(done, end - done), marked));
      done = end;
    }
    at += one.text.size();
  }
  return result;
}

/// Of each line of the text, by its number.
std::map<int, Json> counters_by_line(const PageRow& row) {
  const std::filesystem::path own = std::filesystem::path(row.path).filename();
  std::map<int, Json> counters;
  for (const KernelSum& kernel : by_kernel(row.kernels)) {
    for (const LineRecord& line : kernel.sum.lines) {
      if (std::filesystem::path(line.file).filename() != own) continue;
      for (const LineCounter& counter : counters_of(line, kernel.sum)) {
        counters[line.line].push_back({{"counter", counter.name},
                                       {"amounts", counter.amounts},
                                       {"ways", counter.ways.empty() ? Json() : Json(counter.ways)},
                                       {"percent", counter.percent},
                                       {"wasteful", counter.wasteful}});
      }
    }
  }
  return counters;
}

Json row_of(const char* css, const char* sign, int number, const Json& spans_of_line) {
  return {{"css", css},
          {"sign", sign},
          {"number", number > 0 ? Json(number) : Json()},
          {"spans", spans_of_line}};
}

}  // namespace

Json colored_lines(const std::string& source) {
  Json lines = Json::array();
  for (const CodeLine& line : highlight(source)) lines.push_back({{"spans", spans(line)}});
  return lines;
}

Json code(const PageRow& row, bool with_header) {
  const std::map<int, Json> counted = counters_by_line(row);
  const std::vector<CodeLine> lines = highlight(row.source);
  Json rows = Json::array();
  for (std::size_t i = with_header ? 0 : header_of(row.source).lines; i < lines.size(); ++i) {
    const int number = static_cast<int>(i) + 1;
    const auto counters = counted.find(number);
    rows.push_back({{"number", number},
                    {"spans", spans(lines[i])},
                    {"hot", counters != counted.end()},
                    {"counters", counters == counted.end() ? Json::array() : counters->second}});
  }
  return rows;
}

Json difference(const std::string& before, const std::string& after) {
  const std::vector<CodeLine> old_lines = highlight(before), new_lines = highlight(after);
  const auto at = [](const std::vector<CodeLine>& lines, int number) {
    return lines[static_cast<std::size_t>(number) - 1];
  };
  Json rows = Json::array(), pending = Json::array();
  const auto flush = [&] {
    rows.insert(rows.end(), pending.begin(), pending.end());
    pending.clear();
  };
  for (const DiffRow& row : code_diff(before, after)) {
    if (row.kind != DiffRow::Kind::changed) flush();
    if (row.kind == DiffRow::Kind::folded) {
      const std::string note = std::to_string(row.folded) + " lines alike";
      rows.push_back(row_of("folded", "", 0, Json::array({span(Style::plain, note, false)})));
    } else if (row.kind == DiffRow::Kind::same) {
      rows.push_back(row_of("same", "", row.after.line, spans(at(new_lines, row.after.line))));
    } else {
      if (row.before.line > 0 && !row.before.moved) {
        rows.push_back(row_of("removed", "-", row.before.line,
                              spans(at(old_lines, row.before.line), row.before.marks)));
      }
      if (row.after.line > 0) {
        pending.push_back(row_of(row.after.moved ? "moved" : "added", row.after.moved ? ">" : "+",
                                 row.after.line,
                                 spans(at(new_lines, row.after.line), row.after.marks)));
      }
    }
  }
  flush();
  return rows;
}

}  // namespace kata::html
