#pragma once
// C++ source as tokens, as far as rewriting CUDA needs it: nothing is lost, so the tokens' texts
// joined are the file again.

#include <string>
#include <string_view>
#include <vector>

namespace kata::emulator {

enum class TokenKind {
  space,       ///< white space, a comment or a line continuation
  identifier,  ///< or keyword
  number,
  string,      ///< string or character literal with its prefix, raw ones included
  punctuator,  ///< also "<<<", ">>>" and ">>", which a reader of templates has to take apart
  directive,   ///< a preprocessor line, but for #define
  define,      ///< #define up to the macro's body, which follows as ordinary tokens
  define_end,  ///< empty: where a macro's body ends
};

struct Token {
  TokenKind kind;
  std::string text;    ///< as the person wrote it
  std::string output;  ///< what the rewriter makes of it; at first the same
  int line;            ///< where it starts, from 1
};

std::vector<Token> lex(std::string_view source);

/// The tokens' outputs, joined.
std::string output_text(const std::vector<Token>& tokens);

/// The text without comments, and with one space between tokens: equal for two files that differ
/// in layout and comments alone.
std::string significant_tokens(std::string_view source);

}  // namespace kata::emulator
