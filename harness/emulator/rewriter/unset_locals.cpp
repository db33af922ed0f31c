#include "emulator/rewriter/unset_locals.h"

#include <regex>

#include "emulator/rewriter/statements.h"

namespace kata::emulator {
namespace {

bool is_scalar_type(const Tokens& tokens, int i) {
  static const std::regex types(
      "bool|char|short|int|long|unsigned|signed|float|double|size_t|(u?int(8|16|32|64)_t)|"
      "(__)?half2?|__nv_bfloat16|__nv_bfloat162|((u?(char|short|int|long))|float|double)[2-4]");
  return is_identifier(tokens, i) && std::regex_match(tokens[i].text, types);
}

/// The names that the declaration at `i` gives no value, up to its `;`.
void add_declared(const Tokens& tokens, int i, std::vector<UnsetLocal>& locals) {
  while (is_scalar_type(tokens, i)) i = next(tokens, i);
  for (; i != none && !is(tokens, i, ";"); i = next(tokens, i)) {
    const bool begins =
        is_scalar_type(tokens, previous(tokens, i)) || is(tokens, previous(tokens, i), ",");
    if (is_identifier(tokens, i) && begins && is_one_of(tokens, next(tokens, i), {",", ";"}))
      locals.push_back({tokens[i].text, tokens[i].line});
    if (opens(tokens[i])) i = closing(tokens, i);
    if (i == none) return;
  }
}

}  // namespace

std::vector<UnsetLocal> unset_locals(std::string_view source) {
  const Tokens tokens = lex(source);
  std::vector<UnsetLocal> locals;
  for (const FunctionBody& body : function_bodies(tokens)) {
    const bool on_device = any_in(tokens, {body.head, body.open}, [&](int i) {
      return is_one_of(tokens, i, {"__global__", "__device__"});
    });
    if (!on_device) continue;
    any_in(tokens, {body.open, body.close}, [&](int i) {
      const bool begins = is_one_of(tokens, previous(tokens, i), {"{", "}", ";"});
      if (begins && is_scalar_type(tokens, i)) add_declared(tokens, i, locals);
      return false;
    });
  }
  return locals;
}

}  // namespace kata::emulator
