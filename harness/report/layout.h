#pragma once
// Paragraphs, colours and short numbers, for the text of a report.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kata::layout {

inline constexpr std::size_t width = 80;

enum class Color {
  plain,
  red,
  green,
  yellow,
  blue,
  magenta,
  cyan,
  bold,
  dim,
  marked_red,
  marked_green,
};

/// `text` in that colour, if colour is wanted at all.
std::string paint(const std::string& text, Color color, bool wanted);

/// From now on paragraphs are as wide as a terminal of so many columns, at most `width`.
void narrow_to(std::size_t columns);

/// Words broken over lines of at most `width` columns, every line indented, and those after the
/// first by `hanging` columns more; ends with a newline.
std::string paragraph(const std::string& text, std::size_t indent, std::size_t hanging = 0);

/// The same behind a head that is as wide as the indent.
std::string beside(const std::string& head, const std::string& text);

/// A question, broken at words; the answer is typed behind it.
std::string prompt(const std::string& question);

/// One line with its blanks kept, broken at words into rows of at most `columns`; a word that is
/// longer is broken. Rows after the first begin with as many blanks as the line, and four more.
std::vector<std::string> rows_of(const std::string& line, std::size_t columns);

/// A page with its lines broken like that, in which colours go on and comments stay comments. If a
/// line's first letter is one of `marks`, such as the + of a difference, each of its rows has it.
std::string fitted(const std::string& page, std::size_t columns, std::string_view marks = {});

/// Indented, and broken at words into at most `most` rows; control characters become "?".
std::string verbatim(const std::string& text, std::size_t indent, std::size_t most);

/// At most `columns` letters, the last three of them "..." if there were more.
std::string cut(const std::string& text, std::size_t columns);

/// "812", "12.3k", "4.56M": at most six columns.
std::string short_number(std::uint64_t number);

/// "812 B", "187 kB".
std::string bytes(std::uint64_t number);

/// A number as a person reads it: six significant digits, NaN as NaN.
std::string number(double value);

}  // namespace kata::layout
