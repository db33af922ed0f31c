#include "report/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace kata::layout {

std::string paint(const std::string& text, Color color, bool wanted) {
  if (!wanted || color == Color::plain || text.empty()) return text;
  const char* code = "";
  switch (color) {
    case Color::plain:
      break;
    case Color::red:
      code = "1;31";
      break;
    case Color::green:
      code = "1;32";
      break;
    case Color::yellow:
      code = "33";
      break;
    case Color::blue:
      code = "34";
      break;
    case Color::magenta:
      code = "35";
      break;
    case Color::cyan:
      code = "36";
      break;
    case Color::marked_red:
      code = "7;31";
      break;
    case Color::marked_green:
      code = "7;32";
      break;
    case Color::bold:
      code = "1";
      break;
    case Color::dim:
      code = "2";
      break;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

namespace {

std::size_t columns_of_paragraphs = width;

}  // namespace

void narrow_to(std::size_t columns) {
  constexpr std::size_t fewest = 40;
  columns_of_paragraphs = std::clamp(columns, fewest, width);
}

std::string paragraph(const std::string& text, std::size_t indent, std::size_t hanging) {
  std::string margin(indent, ' ');
  std::istringstream words(text);
  std::string result, line, word;
  while (words >> word) {
    if (!line.empty() && margin.size() + line.size() + 1 + word.size() > columns_of_paragraphs) {
      result += margin + line + "\n";
      line.clear();
      margin.assign(indent + hanging, ' ');
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? result : result + margin + line + "\n";
}

std::string prompt(const std::string& question) {
  std::string text = paragraph(question, 0);
  if (!text.empty()) text.back() = ' ';
  return text;
}

namespace {

/// Where the row ends that begins at `begin` and has `room` columns: at a word if there is one
/// behind the line's `first` letter and that fills half a row, else behind a sign.
std::size_t end_of_row(const std::string& line, std::size_t begin, std::size_t room,
                       std::size_t first) {
  if (line.size() - begin <= room) return line.size();
  const std::size_t space = line.rfind(' ', begin + room);
  const bool at_word = space != std::string::npos && space > std::max(begin, first);
  if (at_word && space >= begin + room / 2) return space;
  const std::size_t sign = line.find_last_of(",;:()<>[]", begin + room - 1);
  const bool at_sign = sign != std::string::npos && sign > std::max(begin, first);
  return at_sign ? sign + 1 : at_word ? space : begin + room;
}

}  // namespace

std::vector<std::string> rows_of(const std::string& line, std::size_t columns) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::string later_margin(std::min(first + 4, columns / 2), ' ');
  std::vector<std::string> rows;
  std::size_t begin = 0;
  do {
    const std::string margin = begin == 0 ? "" : later_margin;
    const std::size_t end = end_of_row(line, begin, columns - margin.size(), first);
    rows.push_back(margin + line.substr(begin, end - begin));
    begin = std::min(line.find_first_not_of(' ', end), line.size());
  } while (begin < line.size());
  return rows;
}

namespace {

/// A line without its colours, and for each letter, and for the end, where it is in the line.
struct Letters {
  std::string text;
  std::vector<std::size_t> at;

  explicit Letters(const std::string& line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\x1b') {
        i = std::min(line.find('m', i), line.size() - 1);
        continue;
      }
      text += line[i];
      at.push_back(i);
    }
    at.push_back(line.size());
  }
};

/// The colour that a line has at that place.
std::string color_at(const std::string& line, std::size_t place) {
  const std::size_t begin = place == 0 ? std::string::npos : line.rfind('\x1b', place - 1);
  if (begin == std::string::npos) return {};
  const std::string code = line.substr(begin, line.find('m', begin) + 1 - begin);
  return code == "\x1b[0m" ? "" : code;
}

std::string fitted_line(const std::string& line, std::size_t columns, std::string_view marks) {
  const Letters letters(line);
  const std::string& text = letters.text;
  if (text.size() <= columns) return line + "\n";
  const bool is_marked = marks.find(text[0]) != std::string_view::npos;
  // Behind the number of a line, too.
  const std::size_t first = std::min(text.find_first_not_of(" 0123456789", is_marked), text.size());
  const std::size_t comment = text.find("//");
  const bool in_comment = comment < columns;
  std::string margin(std::min(in_comment ? comment : first + 4, columns / 2), ' ');
  const std::string sign = in_comment ? "// " : "";
  const std::string first_color = color_at(line, letters.at[0]);
  std::string mark;
  if (is_marked) {
    margin.erase(0, 1);
    mark = first_color + text[0] + (first_color.empty() ? "" : "\x1b[0m");
  }
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t room = columns - (begin == 0 ? 0 : is_marked + margin.size() + sign.size());
    const std::size_t end = end_of_row(text, begin, room, first);
    const std::size_t from = begin == 0 ? 0 : letters.at[begin], to = letters.at[end];
    if (begin > 0) result += mark + margin + color_at(line, from) + sign;
    result += line.substr(from, to - from) + (color_at(line, to).empty() ? "\n" : "\x1b[0m\n");
    begin = std::min(text.find_first_not_of(' ', end), text.size());
  }
  return result;
}

}  // namespace

std::string fitted(const std::string& page, std::size_t columns, std::string_view marks) {
  constexpr std::size_t fewest_columns = 20;
  if (columns < fewest_columns) return page;
  std::istringstream lines(page);
  std::string result;
  for (std::string line; std::getline(lines, line);) result += fitted_line(line, columns, marks);
  return result;
}

std::string verbatim(const std::string& text, std::size_t indent, std::size_t most) {
  const std::string margin(indent, ' ');
  std::istringstream lines(text);
  std::string result, first_left_out, line;
  std::size_t shown = 0, left_out = 0;
  while (std::getline(lines, line)) {
    // A terminal obeys control characters; a candidate's output is only to be looked at.
    for (char& letter : line) {
      const auto code = static_cast<unsigned char>(letter);
      if (code < ' ' || code == 0x7f) letter = letter == '\t' ? ' ' : '?';
    }
    bool is_whole = true;
    for (const std::string& row : rows_of(line, width - indent)) {
      is_whole = shown < most;
      if (is_whole) ++shown;
      if (is_whole || left_out == 0) (is_whole ? result : first_left_out) += margin + row + "\n";
    }
    left_out += !is_whole;
  }
  if (left_out == 1) return result + first_left_out;  // no longer than to say so
  if (left_out) result += fmt::format("{}... and {} more lines\n", margin, left_out);
  return result;
}

std::string beside(const std::string& head, const std::string& text) {
  const std::string rows = paragraph(text, head.size());
  return head + (rows.empty() ? "\n" : rows.substr(head.size()));
}

std::string cut(const std::string& text, std::size_t columns) {
  return text.size() <= columns ? text : text.substr(0, columns - 3) + "...";
}

std::string short_number(std::uint64_t number) {
  if (number < 10'000) return std::to_string(number);
  double value = static_cast<double>(number);
  const char* const suffixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t i = 0;
  while (value >= 999.5 && i + 1 < std::size(suffixes)) {
    value /= 1000;
    ++i;
  }
  return fmt::format("{:.{}f}{}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, suffixes[i]);
}

std::string bytes(std::uint64_t number) {
  std::string text = short_number(number);
  const std::size_t unit = std::min(text.find_first_not_of("0123456789."), text.size());
  return text.insert(unit, " ") + "B";
}

std::string number(double value) {
  return std::isnan(value) ? "NaN" : fmt::format("{:.6g}", value);
}

}  // namespace kata::layout
