#include <algorithm>

#include "emulator/rewriter/passes.h"

namespace kata::emulator {
namespace {

// asm volatile("add.s32 %0, %1, 1;" : "=r"(y) : "r"(x) : "memory");    becomes
// ::__kata::ptx (__KATA_PTX("add.s32 %0, %1, 1;") , ::__kata::ptx_out(y) , ::__kata::ptx_in(x));

/// The next token that ends a section at depth 0: `:`, `::` or the closing bracket.
int section_end(const Tokens& tokens, int i, int close) {
  for (; i != none && i < close; i = next(tokens, i)) {
    if (is(tokens, i, ":") || is(tokens, i, "::")) return i;
    if (opens(tokens[i])) i = closing(tokens, i);
    if (i == none) return none;
  }
  return close;
}

/// "=r" and "+r" are written to.
const char* operand_function(const std::string& constraint) {
  if (constraint.find('=') != std::string::npos) return ", ::__kata::ptx_out";
  if (constraint.find('+') != std::string::npos) return ", ::__kata::ptx_inout";
  return ", ::__kata::ptx_in";
}

/// Drops a token but for its lines: a raw string may have several.
void drop(Token& token) {
  std::erase_if(token.output, [](char c) { return c != '\n'; });
}

/// Drops the tokens from `first` up to `end`.
void drop(Tokens& tokens, int first, int end) {
  for (int i = first; i != none && i < end; i = next(tokens, i)) drop(tokens[i]);
}

/// `inputs`: of a section whose constraints a macro may hold, as in `POINTER(p)`.
void rewrite_operands(Tokens& tokens, int first, int end, bool inputs) {
  for (int i = first; i != none && i < end; i = next(tokens, i)) {
    const bool is_macro = inputs && is_identifier(tokens, i) && is(tokens, next(tokens, i), "(");
    if (tokens[i].kind == TokenKind::string || is_macro) {
      drop(tokens[i]);
      tokens[i].output.insert(0, operand_function(tokens[i].text));
    } else if (is(tokens, i, ",")) {
      drop(tokens[i]);
    } else if (opens(tokens[i])) {
      i = closing(tokens, i);
    }
  }
}

bool is_empty(const Tokens& tokens, int first, int end) {
  for (int i = first; i != none && i < end; i = next(tokens, i)) {
    if (tokens[i].text != "\"\"") return false;
  }
  return true;
}

}  // namespace

void rewrite_assembly(Tokens& tokens) {
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    if (!is(tokens, i, "asm") && !is(tokens, i, "__asm__") && !is(tokens, i, "__asm")) continue;
    int open = next(tokens, i);
    while (is(tokens, open, "volatile") || is(tokens, open, "__volatile__")) {
      open = next(tokens, open);
    }
    const int close = is(tokens, open, "(") ? closing(tokens, open) : none;
    if (close == none) continue;
    const int code = next(tokens, open);
    int end = section_end(tokens, code, close);
    if (end == none || is_empty(tokens, code, end)) continue;  // "": a compiler barrier
    drop(tokens, next(tokens, i), open);
    tokens[i].output = "::__kata::ptx";
    tokens[open].output = "(__KATA_PTX(";
    // Outputs, inputs, and what is clobbered: `::` skips a section.
    int section = 0;
    for (int separator = end; separator != close;) {
      section += is(tokens, separator, "::") ? 2 : 1;
      const int first = next(tokens, separator);
      const int last = section_end(tokens, first, close);
      if (last == none) return;
      tokens[separator].output = separator == end ? ")" : "";
      if (section <= 2) {
        rewrite_operands(tokens, first, last, section == 2);
      } else {
        drop(tokens, first, last);
      }
      separator = last;
    }
    if (end == close) tokens[close].output = "))";
    i = open;
  }
}

}  // namespace kata::emulator
