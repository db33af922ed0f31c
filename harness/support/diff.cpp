#include "support/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kata {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t context = 3;
constexpr std::size_t most_cells = 25'000'000;  // of the table: 100 MB

/// One line of the result: kept (' '), taken away ('-') or added ('+').
struct Edit {
  char sign;
  std::string_view line;
};

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// Adds the edits that turn `a` into `b`, by the table of longest common subsequences.
void add_edits(const Lines& a, const Lines& b, std::vector<Edit>& edits) {
  const bool too_large = a.size() * b.size() > most_cells;
  const std::size_t width = b.size() + 1;
  // longest[i * width + j]: of what follows a[i] and b[j].
  std::vector<std::uint32_t> longest(too_large ? 0 : (a.size() + 1) * width);
  for (std::size_t i = too_large ? 0 : a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      longest[i * width + j] =
          a[i] == b[j] ? longest[(i + 1) * width + j + 1] + 1
                       : std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool both = i < a.size() && j < b.size() && !too_large;
    if (both && a[i] == b[j]) {
      edits.push_back({' ', a[i++]});
      ++j;
    } else if (i < a.size() &&
               (!both || longest[(i + 1) * width + j] >= longest[i * width + j + 1])) {
      edits.push_back({'-', a[i++]});
    } else {
      edits.push_back({'+', b[j++]});
    }
  }
}

std::vector<Edit> edits_between(Lines a, Lines b) {
  std::vector<Edit> edits;
  const auto [end_a, end_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  for (auto line = a.begin(); line != end_a; ++line) edits.push_back({' ', *line});
  a.erase(a.begin(), end_a);
  b.erase(b.begin(), end_b);
  Lines tail;
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    tail.push_back(a.back());
    a.pop_back();
    b.pop_back();
  }
  add_edits(a, b, edits);
  for (auto line = tail.rbegin(); line != tail.rend(); ++line) edits.push_back({' ', *line});
  return edits;
}

std::string line_text(const Edit& edit) {
  std::string text = edit.sign + std::string(edit.line);
  if (!text.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  return text;
}

std::string range(std::size_t first, std::size_t count) {
  return count == 1 ? fmt::format("{}", first)
                    : fmt::format("{},{}", count == 0 ? first - 1 : first, count);
}

}  // namespace

std::string unified_diff(const std::string& before, const std::string& after) {
  const std::vector<Edit> edits = edits_between(lines_of(before), lines_of(after));
  const auto is_change = [](const Edit& edit) { return edit.sign != ' '; };
  std::string text;
  std::size_t line_a = 1, line_b = 1;  // of edits[at]
  for (std::size_t at = 0; at < edits.size();) {
    const auto change =
        std::find_if(edits.begin() + static_cast<std::ptrdiff_t>(at), edits.end(), is_change);
    if (change == edits.end()) break;
    const std::size_t first = static_cast<std::size_t>(change - edits.begin());
    const std::size_t begin = std::max(at, first - std::min(first, context));
    std::size_t end = first;  // behind the last change that belongs to this hunk
    for (std::size_t i = first; i < edits.size() && i <= end + 2 * context; ++i) {
      if (is_change(edits[i])) end = i;
    }
    end = std::min(end + context + 1, edits.size());
    line_a += begin - at;
    line_b += begin - at;
    std::string body;
    std::size_t count_a = 0, count_b = 0;
    for (std::size_t i = begin; i < end; ++i) {
      count_a += edits[i].sign != '+';
      count_b += edits[i].sign != '-';
      body += line_text(edits[i]);
    }
    text += fmt::format("@@ -{} +{} @@\n", range(line_a, count_a), range(line_b, count_b)) + body;
    line_a += count_a;
    line_b += count_b;
    at = end;
  }
  return text;
}

}  // namespace kata
