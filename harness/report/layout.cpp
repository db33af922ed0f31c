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

std::string paragraph(const std::string& text, std::size_t indent, std::size_t hanging) {
  std::string margin(indent, ' ');
  std::istringstream words(text);
  std::string result, line, word;
  while (words >> word) {
    if (!line.empty() && margin.size() + line.size() + 1 + word.size() > width) {
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

std::vector<std::string> rows_of(const std::string& line, std::size_t columns) {
  std::vector<std::string> rows;
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::string margin(std::min(first + 4, columns / 2), ' ');
  std::string rest = line;
  while (rest.size() > columns) {
    const std::size_t blanks = rows.empty() ? first : margin.size();
    const std::size_t space = rest.rfind(' ', columns);
    const std::size_t end = space == std::string::npos || space <= blanks ? columns : space;
    rows.push_back(rest.substr(0, end));
    const std::size_t next = rest.find_first_not_of(' ', end);
    if (next == std::string::npos) return rows;
    rest = margin + rest.substr(next);
  }
  rows.push_back(rest);
  return rows;
}

std::string verbatim(const std::string& text, std::size_t indent, std::size_t most) {
  const std::string margin(indent, ' ');
  std::istringstream lines(text);
  std::string result, line;
  std::size_t shown = 0, left_out = 0;
  while (std::getline(lines, line)) {
    // A terminal obeys control characters; a candidate's output is only to be looked at.
    for (char& letter : line) {
      const auto code = static_cast<unsigned char>(letter);
      if (code < ' ' || code == 0x7f) letter = letter == '\t' ? ' ' : '?';
    }
    for (const std::string& row : rows_of(line, width - indent)) {
      if (shown == most) {
        ++left_out;
        break;
      }
      result += margin + row + "\n";
      ++shown;
    }
  }
  if (left_out) result += fmt::format("{}... and {} more lines\n", margin, left_out);
  return result;
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

std::string number(double value) {
  return std::isnan(value) ? "NaN" : fmt::format("{:.6g}", value);
}

}  // namespace kata::layout
