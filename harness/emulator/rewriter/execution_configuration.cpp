#include "emulator/rewriter/passes.h"

namespace kata::emulator {
namespace {

/// The first token of the postfix expression that ends at `last`: `k`, `ns::k<T>`, `f.kernels[i]`,
/// `(*pointer)`.
int expression_begin(const Tokens& tokens, int last) {
  int i = last;
  for (;;) {
    if (closes(tokens[i])) {  // f(x), table[i] or (expression)
      i = opening(tokens, i);
      const int before = previous(tokens, i);
      const bool called = before != none && (is_identifier(tokens, before) ||
                                             is(tokens, before, "]") || is(tokens, before, ")"));
      if (i == none || !called) return i;
      i = before;
      continue;
    }
    if (is(tokens, i, ">") || is(tokens, i, ">>") || is(tokens, i, ">>>")) {
      i = opening_angle(tokens, i);
      if (i != none) i = previous(tokens, i);
    }
    if (i == none || !is_identifier(tokens, i)) return none;
    int before = previous(tokens, i);
    if (is(tokens, before, "template")) before = previous(tokens, before);
    if (is(tokens, before, "::")) {
      const int scope = previous(tokens, before);
      if (!is_identifier(tokens, scope) && !is(tokens, scope, ">")) return before;
      if (is(tokens, scope, "return") || is(tokens, scope, "else") || is(tokens, scope, "do")) {
        return before;
      }
      i = scope;
    } else if (is(tokens, before, ".") || is(tokens, before, "->")) {
      i = previous(tokens, before);
      if (i == none) return none;
    } else {
      return i;
    }
  }
}

/// A literal 0 loses its meaning of a null pointer when it is passed on, and a braced list has no
/// type before it meets the parameter's.
void rewrite_arguments(Tokens& tokens, int open, int close) {
  for (const auto& [first, last] : arguments(tokens, open, close)) {
    if (first == last && (is(tokens, first, "0") || is(tokens, first, "NULL"))) {
      tokens[first].output = "::__kata::Zero()";
    } else if (is(tokens, first, "{") && closing(tokens, first) == last) {
      tokens[first].output =
          "::__kata::braced([&](auto __kata_t) -> typename decltype(__kata_t)::type { return {";
      tokens[last].output = "}; })";
    }
  }
}

}  // namespace

void rewrite_launches(Tokens& tokens) {
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    const int opened = configuration_open(tokens, i);
    if (opened == none) continue;
    const int last = previous(tokens, i);
    const int first = last == none ? none : expression_begin(tokens, last);
    const int end = configuration_end(tokens, opened);
    if (first == none || end == none) continue;
    const int closed = configuration_close(tokens, end), open = next(tokens, closed);
    if (!is(tokens, open, "(")) continue;
    tokens[first].output.insert(0, "__KATA_KERNEL(");
    tokens[opened].output = tokens[closed].output = "";
    tokens[i].output = ")(";
    tokens[end].output = ")";
    if (const int close = closing(tokens, open); close != none) {
      rewrite_arguments(tokens, open, close);
    }
  }
}

}  // namespace kata::emulator
