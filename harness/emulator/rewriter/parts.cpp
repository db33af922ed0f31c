#include "emulator/rewriter/passes.h"
#include "emulator/rewriter/statements.h"

namespace kata::emulator {
namespace {

/// Whether a static variable of the function is not __shared__ and can change.
bool keeps_values(const Tokens& tokens, const FunctionBody& body) {
  return any_in(tokens, {body.open, body.close}, [&](int i) {
    if (!is(tokens, i, "static")) return false;
    for (int j = i; j != none && !is_one_of(tokens, j, {";", "=", "{"}); j = next(tokens, j)) {
      if (is_one_of(tokens, j, {"__shared__", "constexpr"})) return false;
    }
    return true;
  });
}

bool launches(const Tokens& tokens, const FunctionBody& body) {
  return any_in(tokens, {body.open, body.close},
                [&](int i) { return configuration_open(tokens, i) != none; });
}

}  // namespace

void rewrite_parts(Tokens& tokens, std::vector<RewriteProblem>& problems) {
  for (const FunctionBody& body : function_bodies(tokens)) {
    const auto has = [&](std::string_view word) {
      return any_in(tokens, {body.head, body.open}, [&](int i) { return is(tokens, i, word); });
    };
    const bool on_device = has("__device__") || has("__global__");
    if (on_device && (keeps_values(tokens, body) || launches(tokens, body))) {
      problems.push_back({tokens[body.open].line, "a part needs what only the other one has"});
    }
    if (!has("__global__") || has("static")) continue;
    tokens[body.open].output +=
        " if constexpr (::__kata::in_part(__KATA_PART, __PRETTY_FUNCTION__)) {";
    tokens[body.close].output.insert(0, "} else { __KATA_ELSEWHERE; } ");
  }
}

}  // namespace kata::emulator
