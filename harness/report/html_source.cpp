#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "report/code_diff.h"
#include "report/highlight.h"
#include "report/html.h"
#include "report/launches.h"
#include "report/lines.h"

namespace kata::html {
namespace {

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
  return "";
}

std::string piece(Style style, const std::string& text, bool marked) {
  std::string result = escaped(text);
  if (style != Style::plain)
    result = fmt::format("<i class=\"{}\">{}</i>", class_of(style), result);
  return marked ? "<mark>" + result + "</mark>" : result;
}

/// A line's spans, cut where a mark begins or ends.
std::string code(const CodeLine& line, const Marks& marks = {}) {
  std::string result;
  std::size_t at = 0;
  for (const Span& span : line) {
    std::size_t done = 0;
    while (done < span.text.size()) {
      std::size_t end = span.text.size();
      bool marked = false;
      for (const auto& [from, to] : marks) {
        if (at + done < from) end = std::min(end, from - at);
        if (at + done >= from && at + done < to) {
          marked = true;
          end = std::min(end, to - at);
        }
      }
      result += piece(span.style, span.text.substr(done, end - done), marked);
      done = end;
    }
    at += span.text.size();
  }
  return result;
}

std::string counter_text(const LineCounter& counter) {
  return fmt::format("<span{}>{} {}{}{}, {} %</span>", counter.wasteful ? " class=\"waste\"" : "",
                     counter.name, counter.amounts, counter.ways.empty() ? "" : " ", counter.ways,
                     counter.percent);
}

/// Of each line of the text, by its number, as a cell of the table.
std::map<int, std::string> counters_by_line(const PageRow& row) {
  const std::filesystem::path own = std::filesystem::path(row.path).filename();
  std::map<int, std::string> cells;
  for (const KernelSum& kernel : by_kernel(row.kernels)) {
    for (const LineRecord& line : kernel.sum.lines) {
      if (std::filesystem::path(line.file).filename() != own) continue;
      for (const LineCounter& counter : counters_of(line, kernel.sum)) {
        cells[line.line] += counter_text(counter);
      }
    }
  }
  return cells;
}

std::string annotated(const PageRow& row) {
  const std::map<int, std::string> counted = counters_by_line(row);
  const std::vector<CodeLine> lines = highlight(row.source);
  std::string text = "<div class=\"box code\"><table>\n";
  for (std::size_t i = header_of(row.source).lines; i < lines.size(); ++i) {
    const auto cell = counted.find(static_cast<int>(i) + 1);
    text +=
        fmt::format("<tr{}><td class=\"count\">{}</td><td class=\"no\">{}</td><td>{}</td></tr>\n",
                    cell == counted.end() ? "" : " class=\"hot\"",
                    cell == counted.end() ? "" : cell->second, i + 1, code(lines[i]));
  }
  return text + "</table></div>\n";
}

std::string diff_row(const char* css, const char* sign, int number, const std::string& text) {
  return fmt::format(
      "<tr class=\"{}\"><td class=\"no\">{}</td><td class=\"sign\">{}</td><td>{}</td>"
      "</tr>\n",
      css, number > 0 ? std::to_string(number) : "", sign, text);
}

std::string difference(const PageRow& before, const PageRow& after) {
  const std::vector<CodeLine> old_lines = highlight(before.source),
                              new_lines = highlight(after.source);
  const auto at = [](const std::vector<CodeLine>& lines, int number) {
    return lines[static_cast<std::size_t>(number) - 1];
  };
  std::string text, pending;
  for (const DiffRow& row : code_diff(before.source, after.source)) {
    if (row.kind != DiffRow::Kind::changed) text += std::exchange(pending, "");
    if (row.kind == DiffRow::Kind::folded) {
      text += diff_row("folded", "", 0, fmt::format("{} lines alike", row.folded));
    } else if (row.kind == DiffRow::Kind::same) {
      text += diff_row("same", "", row.after.line, code(at(new_lines, row.after.line)));
    } else {
      if (row.before.line > 0 && !row.before.moved) {
        text += diff_row("removed", "-", row.before.line,
                         code(at(old_lines, row.before.line), row.before.marks));
      }
      if (row.after.line > 0) {
        pending += diff_row(row.after.moved ? "moved" : "added", row.after.moved ? "&gt;" : "+",
                            row.after.line, code(at(new_lines, row.after.line), row.after.marks));
      }
    }
  }
  text += pending;
  if (text.empty()) return "<p>The codes are alike.</p>\n";
  return "<div class=\"box code\"><table>\n" + text + "</table></div>\n";
}

/// A text beside a difference; closed until a person wants to see it, but for their own.
std::string entry(const PageRow& row, const std::string& other_title, const std::string& other) {
  const Header header = header_of(row.source);
  const bool open = row.kind == RowKind::yours;
  std::string text = fmt::format("<details{} data-name=\"{}\">\n<summary><b>{}</b> {}</summary>\n",
                                 open ? " open" : "", escaped(row.name), escaped(row.name),
                                 header.paragraphs.empty() ? "" : escaped(header.paragraphs[0]));
  for (std::size_t i = 1; i < header.paragraphs.size(); ++i) {
    text += "<p>" + escaped(header.paragraphs[i]) + "</p>\n";
  }
  text += "<div class=\"beside\">\n<div><h4>" + escaped(row.path) + "</h4>\n" + annotated(row) +
          "</div>\n";
  if (!other.empty()) {
    text += "<div><h4>" + escaped(other_title) + "</h4>\n" + other + "</div>\n";
  }
  return text + "</div>\n</details>\n";
}

}  // namespace

std::string sources(const Page& page) {
  const PageRow* yours = nullptr;
  const PageRow* before = nullptr;
  std::string rungs, own;
  for (const PageRow& row : page.rows) {
    if (row.kind == RowKind::yours) yours = &row;
    if (row.kind != RowKind::rung) continue;
    rungs += before ? entry(row, "What changed since " + before->name, difference(*before, row))
                    : entry(row, "", "");
    before = &row;
  }
  if (yours && before)
    own = entry(*yours, before->name + " beside it", difference(*yours, *before));
  return "<h3>The texts</h3>\n<p>At a line: what a warp's request takes of sectors (LDG, STG: "
         "global "
         "loads and stores), wavefronts (LDS, STS: shared) or turns (ATOM), the fewest it could, "
         "and "
         "its share of the kernel's.</p>\n" +
         own + rungs;
}

}  // namespace kata::html
