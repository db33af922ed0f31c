#include <algorithm>
#include <array>
#include <string_view>

#include "emulator/rewriter/passes.h"
#include "emulator/rewriter/statements.h"

namespace kata::emulator {
namespace {

constexpr std::array<std::string_view, 13> no_types{
    "return", "struct", "class",    "union", "enum",     "using",  "typedef",
    "friend", "static", "template", "const", "volatile", "mutable"};

/// `float4 v;`, `T v[4], w;`, but neither `float4* p;` nor `float4 sum() const;`.
void rewrite_member(Tokens& tokens, int first) {
  if (std::find(no_types.begin(), no_types.end(), tokens[first].text) != no_types.end()) return;
  const auto type =
      qualified_name(tokens, is(tokens, first, "typename") ? next(tokens, first) : first);
  const int name = type ? next(tokens, type->last) : none;
  const int after = is_identifier(tokens, name) ? next(tokens, name) : none;
  if (!is_one_of(tokens, after, {";", "[", ",", "=", "{"})) return;
  tokens[first].output.insert(0, "::__kata::InUnion<");
  tokens[type->last].output += ">";
}

/// From `union` to its body's `{`; none where it has none: `union U u;`, `union U f() {`.
int body_of(const Tokens& tokens, int keyword) {
  for (int i = next(tokens, keyword); i != none; i = next(tokens, i)) {
    if (is(tokens, i, "{")) return i;
    const int open = next(tokens, i);
    const bool alignment = is_one_of(tokens, i, {"__align__", "alignas", "__attribute__"});
    if (alignment && is(tokens, open, "(")) {
      i = closing(tokens, open);
      if (i == none) return none;
    } else if (!is_identifier(tokens, i)) {
      return none;
    }
  }
  return none;
}

/// The members, and those of the structures among them; returns the body's end.
int rewrite_members(Tokens& tokens, int open) {
  const int close = closing(tokens, open);
  bool begins = true, structure = false;
  for (int i = next(tokens, open); i != none && i < close; i = next(tokens, i)) {
    if (begins) {
      structure = is_one_of(tokens, i, {"struct", "class", "union"});
      rewrite_member(tokens, i);
    }
    begins = is(tokens, i, ";");
    if (!opens(tokens[i])) continue;
    const bool function = !is(tokens, i, "{") || !structure;
    i = function ? closing(tokens, i) : rewrite_members(tokens, i);
    if (i == none) break;
    begins = function && is(tokens, i, "}");
  }
  return close;
}

}  // namespace

void rewrite_unions(Tokens& tokens) {
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    if (!is(tokens, i, "union")) continue;
    const int open = body_of(tokens, i);
    const int close = open == none ? none : rewrite_members(tokens, open);
    if (close != none) i = close;
  }
}

}  // namespace kata::emulator
