#include "support/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kata {
namespace {

using Items = std::vector<std::string_view>;

constexpr std::size_t context = 3;
constexpr std::size_t most_cells = 25'000'000;  // of the table: 100 MB

/// Adds the edits that turn items `at`... of `a` into those of `b`, up to end_a and end_b, by the
/// table of longest common subsequences.
void add_edits(const Items& a, const Items& b, std::size_t at, std::size_t end_a, std::size_t end_b,
               std::vector<Edit>& edits) {
  const std::size_t rows = end_a - at + 1, width = end_b - at + 1;
  const bool too_large = (rows - 1) * (width - 1) > most_cells;
  std::vector<std::uint32_t> table(too_large ? 0 : rows * width);
  // Of what follows a[i] and b[j].
  const auto longest = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
    return table[(i - at) * width + (j - at)];
  };
  for (std::size_t i = too_large ? at : end_a; i-- > at;) {
    for (std::size_t j = end_b; j-- > at;) {
      longest(i, j) =
          a[i] == b[j] ? longest(i + 1, j + 1) + 1 : std::max(longest(i + 1, j), longest(i, j + 1));
    }
  }
  std::size_t i = at, j = at;
  while (i < end_a || j < end_b) {
    const bool both = i < end_a && j < end_b && !too_large;
    if (both && a[i] == b[j]) {
      edits.push_back({' ', i++, j++});
    } else if (i < end_a && (!both || longest(i + 1, j) >= longest(i, j + 1))) {
      edits.push_back({'-', i++, j});
    } else {
      edits.push_back({'+', i, j++});
    }
  }
}

std::string line_text(char sign, std::string_view line) {
  std::string text = sign + std::string(line);
  if (!text.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  return text;
}

std::string range(std::size_t first, std::size_t count) {
  return count == 1 ? fmt::format("{}", first)
                    : fmt::format("{},{}", count == 0 ? first - 1 : first, count);
}

}  // namespace

Items lines_with_ends(std::string_view text) {
  Items lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<Edit> edits_between(const Items& before, const Items& after) {
  std::size_t end_a = before.size(), end_b = after.size(), same = 0;
  while (same < std::min(end_a, end_b) && before[same] == after[same]) ++same;
  while (std::min(end_a, end_b) > same && before[end_a - 1] == after[end_b - 1]) --end_a, --end_b;
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < same; ++i) edits.push_back({' ', i, i});
  add_edits(before, after, same, end_a, end_b, edits);
  while (end_a < before.size()) edits.push_back({' ', end_a++, end_b++});
  return edits;
}

std::string unified_diff(const std::string& before, const std::string& after) {
  const Items old_lines = lines_with_ends(before), new_lines = lines_with_ends(after);
  const std::vector<Edit> edits = edits_between(old_lines, new_lines);
  const auto is_change = [](const Edit& edit) { return edit.sign != ' '; };
  std::string text;
  std::size_t line_a = 1, line_b = 1;  // of edits[at]
  for (std::size_t at = 0; at < edits.size();) {
    const auto change =
        std::find_if(edits.begin() + static_cast<std::ptrdiff_t>(at), edits.end(), is_change);
    if (change == edits.end()) break;
    const std::size_t first = static_cast<std::size_t>(change - edits.begin());
    const std::size_t begin = std::max(at, first - std::min(first, context));
    std::size_t end = first;  // past the last change that belongs to this hunk
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
      body += line_text(edits[i].sign, edits[i].sign == '-' ? old_lines[edits[i].before]
                                                            : new_lines[edits[i].after]);
    }
    text += fmt::format("@@ -{} +{} @@\n", range(line_a, count_a), range(line_b, count_b)) + body;
    line_a += count_a;
    line_b += count_b;
    at = end;
  }
  return text;
}

}  // namespace kata
