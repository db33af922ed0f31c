#include "report/text/highlight.h"

#include "emulator/lexer/lexer.h"
#include "report/layout.h"
#include "support/diff.h"

namespace kata {
namespace {

using emulator::Token;
using emulator::TokenKind;

// Between blanks, so that a word is found as a whole.
constexpr std::string_view keywords =
    " alignas auto bool break case char class const const_cast constexpr continue default do "
    "double "
    "else enum explicit extern false float for if inline int long namespace noexcept nullptr "
    "operator private public reinterpret_cast return short signed size_t sizeof static "
    "static_assert static_cast struct switch template this true typedef typename uintptr_t union "
    "unsigned using virtual void volatile while ";

constexpr std::string_view cuda_words =
    " threadIdx blockIdx blockDim gridDim warpSize dim3 float2 float4 <<< >>> ";

bool is_one_of(std::string_view words, std::string_view text) {
  return words.find(" " + std::string(text) + " ") != std::string_view::npos;
}

Style style_of(const Token& token) {
  const std::string_view text = token.text;
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Style::plain;
  if (text.starts_with("//") || text.starts_with("/*")) return Style::comment;
  if (token.kind == TokenKind::directive) return Style::directive;
  if (token.kind == TokenKind::number || token.kind == TokenKind::string) return Style::literal;
  if (is_one_of(cuda_words, text)) return Style::cuda;
  if (token.kind != TokenKind::identifier) return Style::plain;
  if (text.starts_with("__")) return Style::cuda;
  return is_one_of(keywords, text) ? Style::keyword : Style::plain;
}

layout::Color color_of(Style style) {
  switch (style) {
    case Style::comment:
      return layout::Color::dim;
    case Style::keyword:
      return layout::Color::blue;
    case Style::literal:
      return layout::Color::cyan;
    case Style::directive:
      return layout::Color::magenta;
    case Style::cuda:
      return layout::Color::yellow;
    case Style::plain:
      break;
  }
  return layout::Color::plain;
}

/// Neighbours of one style become one span.
void append(CodeLine& line, Style style, std::string_view text) {
  if (text.empty()) return;
  if (line.empty() || line.back().style != style) line.push_back({style, ""});
  line.back().text += text;
}

/// The comment's text, or nothing if the line is code.
bool take_comment(std::string_view line, std::string_view& text) {
  if (!line.starts_with("//")) return false;
  text = line.substr(2);
  const std::size_t begin = text.find_first_not_of(' ');
  const std::size_t end = text.find_last_not_of(" \r\n");
  text = begin == std::string_view::npos || end == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, end + 1 - begin);
  return true;
}

}  // namespace

std::vector<CodeLine> highlight(std::string_view source) {
  std::vector<CodeLine> lines(1);
  for (const Token& token : emulator::lex(source)) {
    const Style style = style_of(token);
    std::string_view rest = token.text;
    for (std::size_t end; (end = rest.find('\n')) != std::string_view::npos;) {
      append(lines.back(), style, rest.substr(0, end));
      lines.emplace_back();
      rest.remove_prefix(end + 1);
    }
    append(lines.back(), style, rest);
  }
  if (lines.back().empty()) lines.pop_back();  // after the last new line
  return lines;
}

std::string painted(const CodeLine& line, bool color) {
  std::string text;
  for (const Span& span : line) text += layout::paint(span.text, color_of(span.style), color);
  return text;
}

Header header_of(std::string_view source) {
  Header header;
  bool apart = true;
  for (const std::string_view line : lines_with_ends(source)) {
    std::string_view text;
    if (!take_comment(line, text)) break;
    ++header.lines;
    apart =
        apart || text.empty() || text.starts_with("Prediction:") || text.starts_with("Measured");
    if (text.empty()) continue;
    if (apart) header.paragraphs.emplace_back();
    std::string& paragraph = header.paragraphs.back();
    paragraph += (paragraph.empty() ? "" : " ") + std::string(text);
    apart = false;
  }
  return header;
}

}  // namespace kata
