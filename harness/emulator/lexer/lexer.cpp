#include "emulator/lexer/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kata::emulator {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80);
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}

// Longest first, so that the first that matches is the right one.
constexpr std::array<std::string_view, 27> punctuators{
    "<<<", ">>>", "<=>", "->*", "...", "::", "->", ">>", "<<", "++", "--", "==", "!=", "<=",
    ">=",  "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "##", ".*"};

constexpr std::array<std::string_view, 5> raw_prefixes{"R", "LR", "uR", "UR", "u8R"};
constexpr std::array<std::string_view, 4> prefixes{"L", "u", "U", "u8"};

template <class Array>
bool contains(const Array& array, std::string_view text) {
  return std::find(array.begin(), array.end(), text) != array.end();
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) next();
    if (in_define_) end_define();
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t i) const { return i < source_.size() ? source_[i] : '\0'; }

  void emit(TokenKind kind, std::size_t end) {
    end = std::min(end, source_.size());
    const std::string text(source_.substr(at_, end - at_));
    tokens_.push_back({kind, text, text, line_});
    line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    at_ = end;
  }

  void end_define() {
    tokens_.push_back({TokenKind::define_end, "", "", line_});
    in_define_ = false;
  }

  void next() {
    const char c = peek(at_);
    if (c == '\n') {
      if (in_define_) end_define();
      line_start_ = true;
      return emit(TokenKind::space, at_ + 1);
    }
    if (const std::size_t end = space_end(at_); end != at_) return emit(TokenKind::space, end);
    if (c == '#' && line_start_) return directive();
    line_start_ = false;
    if (is_digit(c) || (c == '.' && is_digit(peek(at_ + 1)))) return number();
    if (is_word(c)) return word();
    if (c == '"' || c == '\'') return emit(TokenKind::string, quoted_end(at_));
    const std::string_view rest = source_.substr(at_);
    for (std::string_view punctuator : punctuators) {
      if (rest.starts_with(punctuator)) {
        return emit(TokenKind::punctuator, at_ + punctuator.size());
      }
    }
    emit(TokenKind::punctuator, at_ + 1);
  }

  /// Length of a line continuation at `i`, or 0.
  std::size_t continuation(std::size_t i) const {
    if (peek(i) != '\\') return 0;
    if (peek(i + 1) == '\n') return 2;
    return peek(i + 1) == '\r' && peek(i + 2) == '\n' ? 3 : 0;
  }

  /// The end of one piece of white space or one comment at `i`; `i` itself if there is none.
  std::size_t space_end(std::size_t i) const {
    if (const std::size_t length = continuation(i)) return i + length;
    const char c = peek(i);
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') return i + 1;
    if (c != '/') return i;
    if (peek(i + 1) == '/') return line_end(i);
    if (peek(i + 1) != '*') return i;
    const std::size_t close = source_.find("*/", i + 2);
    return close == std::string_view::npos ? source_.size() : close + 2;
  }

  /// The end of the logical line: its new line, continuations skipped.
  std::size_t line_end(std::size_t i) const {
    while (i < source_.size() && source_[i] != '\n') i += std::max<std::size_t>(1, continuation(i));
    return i;
  }

  std::size_t quoted_end(std::size_t open) const {
    std::size_t i = open + 1;
    while (i < source_.size() && source_[i] != source_[open] && source_[i] != '\n') {
      if (const std::size_t length = continuation(i)) {
        i += length;
      } else {
        i += source_[i] == '\\' ? 2 : 1;
      }
    }
    return i + (peek(i) == source_[open]);
  }

  std::size_t raw_end(std::size_t quote) const {
    const std::size_t open = source_.find('(', quote);
    if (open == std::string_view::npos) return source_.size();
    const std::string close = ")" + std::string(source_.substr(quote + 1, open - quote - 1)) + "\"";
    const std::size_t found = source_.find(close, open);
    return found == std::string_view::npos ? source_.size() : found + close.size();
  }

  void number() {
    std::size_t i = at_;
    for (;;) {
      const char c = peek(i);
      const bool exponent_sign =
          (c == '+' || c == '-') && i > at_ &&
          std::string_view("eEpP").find(source_[i - 1]) != std::string_view::npos &&
          !(peek(at_ + 1) == 'x' && (source_[i - 1] == 'e' || source_[i - 1] == 'E'));
      const bool separator = c == '\'' && is_word(peek(i + 1));
      if (!is_word(c) && c != '.' && !exponent_sign && !separator) break;
      ++i;
    }
    emit(TokenKind::number, i);
  }

  void word() {
    std::size_t i = at_;
    while (i < source_.size() && is_word(source_[i])) ++i;
    const std::string_view text = source_.substr(at_, i - at_);
    if (peek(i) == '"' && contains(raw_prefixes, text)) {
      return emit(TokenKind::string, raw_end(i));
    }
    if ((peek(i) == '"' || peek(i) == '\'') && contains(prefixes, text)) {
      return emit(TokenKind::string, quoted_end(i));
    }
    emit(TokenKind::identifier, i);
  }

  std::size_t skip_space(std::size_t i) const {
    for (std::size_t end; (end = space_end(i)) != i;) i = end;
    return i;
  }

  void directive() {
    line_start_ = false;
    const std::size_t name = skip_space(at_ + 1);
    std::size_t i = name;
    while (is_word(peek(i))) ++i;
    if (source_.substr(name, i - name) == "define") return define(i);
    while (i < source_.size() && source_[i] != '\n') {
      if (const std::size_t end = space_end(i); end != i) {
        i = end;
      } else {
        i = source_[i] == '"' ? quoted_end(i) : i + 1;
      }
    }
    emit(TokenKind::directive, i);
  }

  /// "#define NAME" or "#define NAME(parameters)"; the body follows as ordinary tokens.
  void define(std::size_t i) {
    i = skip_space(i);
    while (is_word(peek(i))) ++i;
    if (peek(i) == '(') {
      while (i < source_.size() && source_[i] != ')' && source_[i] != '\n') {
        i += std::max<std::size_t>(1, continuation(i));
      }
      i += peek(i) == ')';
    }
    emit(TokenKind::define, i);
    in_define_ = true;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_start_ = true;
  bool in_define_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(std::string_view source) {
  return Lexer(source).run();
}

std::string output_text(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) text += token.output;
  return text;
}

std::string significant_tokens(std::string_view source) {
  std::string text;
  for (const Token& token : lex(source)) {
    switch (token.kind) {
      case TokenKind::space:
        break;
      case TokenKind::directive:
      case TokenKind::define:
        text += "\n#" + significant_tokens(std::string_view(token.text).substr(1));
        if (!token.text.ends_with(")")) text += '\n';
        break;
      case TokenKind::define_end:
        text += '\n';
        break;
      default:
        text += token.text;
        text += ' ';
    }
  }
  return text;
}

}  // namespace kata::emulator
