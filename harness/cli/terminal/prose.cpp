#include "cli/terminal/prose.h"

#include <vector>

#include "report/layout.h"
#include "support/text.h"

namespace kata::cli {
namespace {

bool is_code(const std::string& line) {
  return line.starts_with("    ");
}

bool is_row(const std::string& line) {
  return line.starts_with("|");
}

bool is_item(const std::string& line) {
  return line.starts_with("- ");
}

/// "|---|---|" between a table's head and its rows.
bool is_rule(const std::string& line) {
  return is_row(line) && line.find_first_not_of("|-: ") == std::string::npos;
}

/// A paragraph whose first word is "-" keeps its other lines below its second.
std::string item(const std::string& text, std::size_t indent) {
  std::string lines = layout::paragraph(text, indent + 2);
  lines[indent] = '-';
  return lines;
}

}  // namespace

std::string prose(const std::string& markdown, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string text, open;  // `open`: the paragraph or item that is being collected
  bool open_is_item = false, in_code = false;
  const auto close = [&] {
    if (!open.empty()) text += open_is_item ? item(open, indent) : layout::paragraph(open, indent);
    open.clear();
    open_is_item = false;
  };
  for (const std::string& line : lines_of(markdown)) {
    const bool fence = line.starts_with("```");
    in_code ^= fence;
    if (fence || is_rule(line)) continue;
    const bool literal = in_code || is_row(line) || (is_code(line) && open.empty());
    if (literal || line.empty() || is_item(line)) close();
    if (is_code(line) && !in_code && literal && indent + line.size() - 2 > layout::width) {
      text += layout::paragraph(line, indent + 2);  // a long signature
      continue;
    }
    if (literal || line.empty()) {
      text += line.empty() ? "\n" : margin + line.substr(is_code(line) && !in_code ? 2 : 0) + "\n";
      continue;
    }
    if (is_item(line)) open_is_item = true;
    open += (open.empty() ? "" : " ") + (is_item(line) ? line.substr(2) : line);
  }
  close();
  return text;
}

}  // namespace kata::cli
