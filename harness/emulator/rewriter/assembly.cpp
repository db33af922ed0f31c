#include <algorithm>
#include <cctype>
#include <set>

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

/// `name` after `#define name(`, without a space between.
std::string function_like(const Token& definition) {
  const std::string& text = definition.text;
  const std::size_t open = text.find('(');
  if (open == std::string::npos) return {};
  std::size_t first = open;
  while (first > 0 &&
         (std::isalnum(static_cast<unsigned char>(text[first - 1])) != 0 || text[first - 1] == '_'))
    --first;
  return text.substr(first, open - first);
}

/// Macros of this file that take arguments.
std::set<std::string> function_like_macros(const Tokens& tokens) {
  std::set<std::string> names;
  for (const Token& token : tokens) {
    if (token.kind == TokenKind::define) names.insert(function_like(token));
  }
  return names;
}

/// The bracket of a call like OPERANDS(x) or OPERANDS_##n(x); none if there is none.
int call_bracket(const Tokens& tokens, int i, bool& is_pasted) {
  is_pasted = false;
  while (i != none && is_identifier(tokens, i)) {
    i = next(tokens, i);
    if (!is(tokens, i, "##")) return is(tokens, i, "(") ? i : none;
    is_pasted = true;
    i = next(tokens, i);
  }
  return none;
}

/// A macro may hold whole operands, or in a section of inputs a constraint, as in `POINTER(p)`. The
/// section decides if this file does not define the macro.
void rewrite_operands(Tokens& tokens, int first, int end, bool inputs,
                      const std::set<std::string>& macros) {
  for (int i = first; i != none && i < end; i = next(tokens, i)) {
    bool is_pasted = false;
    const int open = call_bracket(tokens, i, is_pasted);
    if (open != none && (!inputs || is_pasted || macros.contains(tokens[i].text))) {
      tokens[i].output.insert(0, ", ");
      i = closing(tokens, open);
    } else if (tokens[i].kind == TokenKind::string || (open != none && inputs)) {
      drop(tokens[i]);
      tokens[i].output.insert(0, operand_function(tokens[i].text));
    } else if (is(tokens, i, ",")) {
      drop(tokens[i]);
    } else if (opens(tokens[i])) {
      i = closing(tokens, i);
    }
  }
}

/// In a macro's body outside of an asm statement: "=r"(x) is an operand, which the macro holds for
/// one.
void rewrite_operands_of_macros(Tokens& tokens) {
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    const std::string& text = tokens[i].text;
    const bool is_constraint = tokens[i].kind == TokenKind::string && tokens[i].output == text &&
                               text.size() >= 3 && text.size() <= 5 &&
                               text.find_first_not_of("\"=+&rlfdhcnb") == std::string::npos;
    if (!is_constraint || !is(tokens, next(tokens, i), "(")) continue;
    tokens[i].output = operand_function(text) + 2;  // without the comma
  }
}

bool is_empty(const Tokens& tokens, int first, int end) {
  for (int i = first; i != none && i < end; i = next(tokens, i)) {
    if (tokens[i].text != "\"\"") return false;
  }
  return true;
}

/// asm volatile("" : "+f"(x)) -> asm volatile("" ::: "memory"): "f" is no register of the host's.
void drop_operands(Tokens& tokens, int first, int close) {
  bool has_operands = false;
  for (int i = first; i != none && i < close; i = next(tokens, i))
    has_operands |= is(tokens, i, "(");
  if (!has_operands) return;
  drop(tokens, first, close);
  tokens[first].output = "::: \"memory\"";
}

}  // namespace

void rewrite_assembly(Tokens& tokens) {
  const std::set<std::string> macros = function_like_macros(tokens);
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
    if (end == none) continue;
    if (is_empty(tokens, code, end)) {  // a compiler barrier
      drop_operands(tokens, end, close);
      continue;
    }
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
        rewrite_operands(tokens, first, last, section == 2, macros);
      } else {
        drop(tokens, first, last);
      }
      separator = last;
    }
    if (end == close) tokens[close].output = "))";
    i = open;
  }
  rewrite_operands_of_macros(tokens);
}

}  // namespace kata::emulator
