#include "report/html/code_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "emulator/lexer/lexer.h"
#include "report/layout.h"
#include "report/text/highlight.h"
#include "support/diff.h"
#include "support/text.h"

namespace kata {
namespace {

using Kind = DiffRow::Kind;

constexpr std::size_t context = 3;
constexpr double alike_enough = 0.5;  ///< tokens in common, for two lines to be one line

/// A file's code: the lines behind its header.
struct Code {
  std::vector<std::string_view> lines;
  int first = 1;  ///< the number of lines[0] in the file

  explicit Code(std::string_view text) : lines(lines_with_ends(text)) {
    const std::size_t header = header_of(text).lines;
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(header));
    for (std::string_view& line : lines) line = line.substr(0, line.find_last_not_of("\r\n") + 1);
    first += static_cast<int>(header);
  }
  int number(std::size_t index) const { return first + static_cast<int>(index); }
  std::vector<std::string_view> without_indentation() const {
    std::vector<std::string_view> bare(lines.size());
    std::transform(lines.begin(), lines.end(), bare.begin(), trimmed);
    return bare;
  }
};

bool is_trivial(std::string_view line) {
  return std::none_of(line.begin(), line.end(),
                      [](unsigned char letter) { return std::isalnum(letter); });
}

/// A brace or an empty line between two changes belongs to them: kept, it would tear them apart.
void join_changes(std::vector<Edit>& edits, const Code& after) {
  std::vector<Edit> joined;
  for (std::size_t i = 0; i < edits.size();) {
    std::size_t end = i;
    while (end < edits.size() && edits[end].sign == ' ' &&
           is_trivial(after.lines[edits[end].after]))
      ++end;
    const bool between = i > 0 && edits[i - 1].sign != ' ' && end < edits.size() &&
                         edits[end].sign != ' ' && end > i;
    if (!between) {
      joined.push_back(edits[i++]);
      continue;
    }
    for (; i < end; ++i) {
      joined.push_back({'-', edits[i].before, edits[i].after});
      joined.push_back({'+', edits[i].before, edits[i].after});
    }
  }
  edits = std::move(joined);
}

/// Of these lines those that the other side has among its own, two or more in a row: single lines
/// are alike by chance.
std::set<std::size_t> found_elsewhere(const std::vector<std::string_view>& lines,
                                      const std::vector<std::size_t>& changed,
                                      const std::vector<std::string_view>& other_lines,
                                      const std::vector<std::size_t>& other_changed) {
  std::set<std::pair<std::string_view, std::string_view>> pairs;
  for (std::size_t i = 1; i < other_changed.size(); ++i) {
    if (other_changed[i] == other_changed[i - 1] + 1)
      pairs.emplace(other_lines[other_changed[i - 1]], other_lines[other_changed[i]]);
  }
  std::set<std::size_t> found;
  for (std::size_t i = 1; i < changed.size(); ++i) {
    const std::size_t first = changed[i - 1], second = changed[i];
    const bool telling = !is_trivial(lines[first]) && !is_trivial(lines[second]);
    if (second != first + 1 || !telling || !pairs.count({lines[first], lines[second]})) continue;
    found.insert({first, second});
  }
  return found;
}

struct Words {
  std::vector<std::string> text;
  std::vector<std::size_t> at;

  explicit Words(std::string_view line) {
    std::size_t place = 0;
    for (emulator::Token& token : emulator::lex(line)) {
      const std::size_t size = token.text.size();
      const bool blank = trimmed(token.text).empty();
      if (!blank) at.push_back(place), text.push_back(std::move(token.text));
      place += size;
    }
  }
  std::vector<std::string_view> views() const { return {text.begin(), text.end()}; }
};

/// Marks what is in one of the lines alone; returns how much they have in common, from 0 to 1.
double mark(std::string_view before, std::string_view after, DiffSide& left, DiffSide& right) {
  const Words a(before), b(after);
  if (a.text.empty() || b.text.empty()) return 0;
  std::size_t kept = 0;
  const auto add = [](DiffSide& side, const Words& words, std::size_t i) {
    const std::size_t end = words.at[i] + words.text[i].size();
    const bool joins = !side.marks.empty() && i > 0 &&
                       side.marks.back().second == words.at[i - 1] + words.text[i - 1].size();
    if (joins) {
      side.marks.back().second = end;
    } else {
      side.marks.emplace_back(words.at[i], end);
    }
  };
  for (const Edit& edit : edits_between(a.views(), b.views())) {
    kept += edit.sign == ' ';
    if (edit.sign == '-') add(left, a, edit.before);
    if (edit.sign == '+') add(right, b, edit.after);
  }
  return 2.0 * static_cast<double>(kept) / static_cast<double>(a.text.size() + b.text.size());
}

class Differ {
 public:
  Differ(const std::string& before, const std::string& after) : before_(before), after_(after) {
    const auto a = before_.without_indentation(), b = after_.without_indentation();
    edits_ = edits_between(a, b);
    join_changes(edits_, after_);
    std::vector<std::size_t> removed, added;
    for (const Edit& edit : edits_) {
      if (edit.sign == '-') removed.push_back(edit.before);
      if (edit.sign == '+') added.push_back(edit.after);
    }
    moved_away_ = found_elsewhere(a, removed, b, added);
    moved_here_ = found_elsewhere(b, added, a, removed);
  }

  std::vector<DiffRow> rows() {
    for (std::size_t i = 0; i < edits_.size();) {
      std::size_t end = i;
      const bool same = edits_[i].sign == ' ';
      while (end < edits_.size() && (edits_[end].sign == ' ') == same) ++end;
      if (same) {
        add_same(i, end);
      } else {
        add_changed(i, end);
      }
      i = end;
    }
    const bool changed = std::any_of(rows_.begin(), rows_.end(),
                                     [](const DiffRow& row) { return row.kind == Kind::changed; });
    return changed ? rows_ : std::vector<DiffRow>();
  }

 private:
  void add_same(std::size_t begin, std::size_t end) {
    const std::size_t head = begin == 0 ? 0 : context;
    const std::size_t tail = end == edits_.size() ? 0 : context;
    const bool fold = end - begin > head + tail + 1;
    for (std::size_t i = begin; i < end; ++i) {
      DiffRow row{.before = {.line = before_.number(edits_[i].before)},
                  .after = {.line = after_.number(edits_[i].after)}};
      if (fold && i == begin + head) {
        row.kind = Kind::folded;
        row.folded = end - begin - head - tail;
        i += row.folded - 1;
      }
      rows_.push_back(row);
    }
  }

  DiffSide left(std::size_t index) const {
    return {.line = before_.number(index), .moved = moved_away_.count(index) > 0};
  }
  DiffSide right(std::size_t index) const {
    return {.line = after_.number(index), .moved = moved_here_.count(index) > 0};
  }

  /// Lines that are alike enough stand side by side, with what differs in them marked.
  void add_changed(std::size_t begin, std::size_t end) {
    std::vector<std::size_t> removed, added;
    for (std::size_t i = begin; i < end; ++i) {
      if (edits_[i].sign == '-') removed.push_back(edits_[i].before);
      if (edits_[i].sign == '+') added.push_back(edits_[i].after);
    }
    std::size_t next = 0;
    for (const std::size_t one : removed) {
      DiffRow row{.kind = Kind::changed, .before = left(one)};
      for (std::size_t i = next; i < added.size() && !row.before.moved; ++i) {
        DiffRow pair{.kind = Kind::changed, .before = left(one), .after = right(added[i])};
        if (pair.after.moved || mark(before_.lines[one], after_.lines[added[i]], pair.before,
                                     pair.after) < alike_enough) {
          continue;
        }
        for (; next < i; ++next)
          rows_.push_back({.kind = Kind::changed, .after = right(added[next])});
        row = pair;
        ++next;
        break;
      }
      rows_.push_back(row);
    }
    for (; next < added.size(); ++next)
      rows_.push_back({.kind = Kind::changed, .after = right(added[next])});
  }

  Code before_, after_;
  std::vector<Edit> edits_;
  std::set<std::size_t> moved_away_, moved_here_;
  std::vector<DiffRow> rows_;
};

std::string side_text(char sign, const DiffSide& side, std::string_view line, bool color) {
  using namespace layout;
  if (line.empty()) return paint({sign}, sign == '-' ? Color::red : Color::green, color) + "\n";
  if (side.moved) return paint("> " + std::string(line), Color::dim, color) + "\n";
  const Color plain = sign == '-' ? Color::red : Color::green;
  const Color marked = sign == '-' ? Color::marked_red : Color::marked_green;
  std::string text = paint(std::string{sign, ' '}, plain, color);
  std::size_t at = 0;
  for (const auto& [from, to] : side.marks) {
    text += paint(std::string(line.substr(at, from - at)), plain, color) +
            paint(std::string(line.substr(from, to - from)), marked, color);
    at = to;
  }
  return text + paint(std::string(line.substr(at)), plain, color) + "\n";
}

}  // namespace

std::vector<DiffRow> code_diff(const std::string& before, const std::string& after) {
  return Differ(before, after).rows();
}

std::string code_diff_text(const std::string& before, const std::string& after, bool color) {
  const std::vector<std::string_view> a = lines_with_ends(before), b = lines_with_ends(after);
  const auto line = [](const std::vector<std::string_view>& lines, int number) {
    const std::string_view text = lines[static_cast<std::size_t>(number) - 1];
    return text.substr(0, text.find_last_not_of("\r\n") + 1);
  };
  const std::vector<CodeLine> code = highlight(after);
  std::string text, pending;  // what was added waits until all that was removed is there
  for (const DiffRow& row : code_diff(before, after)) {
    if (row.kind != Kind::changed) text += std::exchange(pending, "");
    if (row.kind == Kind::folded) {
      const std::string note = fmt::format("  ... {} lines alike ...\n", row.folded);
      text += layout::paint(note, layout::Color::dim, color);
    } else if (row.kind == Kind::same) {
      const std::string& shown = painted(code[static_cast<std::size_t>(row.after.line) - 1], color);
      text += shown.empty() ? "\n" : "  " + shown + "\n";
    } else {
      if (row.before.line > 0 && !row.before.moved)
        text += side_text('-', row.before, line(a, row.before.line), color);
      if (row.after.line > 0) pending += side_text('+', row.after, line(b, row.after.line), color);
    }
  }
  return text + pending;
}

}  // namespace kata
