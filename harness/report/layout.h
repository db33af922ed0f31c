#pragma once
// Paragraphs, colours and short numbers, for the text of a report.

#include <cstdint>
#include <string>

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

/// Words broken over lines of at most `width` columns, every line indented; ends with a newline.
std::string paragraph(const std::string& text, std::size_t indent);

/// Lines as they are, indented, `most` of them at most; control characters become "?", and what
/// does not fit is cut.
std::string verbatim(const std::string& text, std::size_t indent, std::size_t most);

/// "812", "12.3k", "4.56M": at most six columns.
std::string short_number(std::uint64_t number);

/// A number as a person reads it: six significant digits, NaN as NaN.
std::string number(double value);

}  // namespace kata::layout
