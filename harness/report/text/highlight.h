#pragma once
// A candidate's text as a reader wants it: coloured, and its header comment apart from its code.

#include <string>
#include <string_view>
#include <vector>

namespace kata {

enum class Style {
  plain,
  comment,
  keyword,    ///< of C++, and the fundamental types
  literal,    ///< numbers, strings, characters
  directive,  ///< #include ...
  cuda,       ///< __global__, threadIdx, <<<, and all else that only CUDA has
};

struct Span {
  Style style;
  std::string text;
};

using CodeLine = std::vector<Span>;

/// Line by line, without the new lines; the spans' texts joined are the line.
std::vector<CodeLine> highlight(std::string_view source);

/// For a terminal; the text alone without colour. No new line at the end.
std::string painted(const CodeLine& line, bool color);

/// The // comment that a file begins with.
struct Header {
  std::vector<std::string> paragraphs;  ///< "Prediction:" and "Measured" begin one of their own
  std::size_t lines = 0;                ///< that it takes of the file
};

Header header_of(std::string_view source);

}  // namespace kata
