#include "emulator/rewriter/loop_size.h"

#include <algorithm>

namespace kata::emulator {
namespace {

// In instructions of LLVM's, as nvcc 13.0 counts them: found by adding one line again and again to
// a loop, until it was no longer unrolled by four (docs/fidelity.md).
const std::map<std::string, unsigned, std::less<>> called{
    {"expf", 12},  {"exp", 12},   {"exp2f", 6},     {"logf", 25},  {"log", 25},  {"tanhf", 18},
    {"tanh", 18},  {"powf", 60},  {"pow", 60},      {"erff", 30},  {"erf", 30},  {"__expf", 2},
    {"sinf", 60},  {"cosf", 60},  {"atomicAdd", 1}, {"fmaxf", 1},  {"fminf", 1}, {"sqrtf", 1},
    {"rsqrtf", 1}, {"fabsf", 1},  {"max", 2},       {"min", 2},    {"fmaf", 1},  {"__fdividef", 1},
    {"__ldg", 3},  {"sizeof", 0}, {"if", 1},        {"switch", 2}, {"float", 1}, {"int", 1},
    {"return", 0}, {"while", 1},  {"for", 1}};
/// Of a number that the text says is double.
const std::map<std::string, unsigned, std::less<>> called_with_double{
    {"exp", 44}, {"log", 66}, {"tanh", 54}};
constexpr unsigned other_call = 3, too_large = 1000, most_depth = 4;
/// Iterations of a function's own loop, which nvcc unrolls as a whole: 16, 8, 4, 2, 1.
constexpr unsigned inner_iterations = 5;

unsigned size_of(const Tokens& tokens, const Range& range, const Functions& functions,
                 unsigned depth);

unsigned size_of_call(const Tokens& tokens, int i, const Functions& functions, unsigned depth) {
  const std::string& name = tokens[i].text;
  const int open = next(tokens, i);
  const bool has_double =
      any_in(tokens, {open, closing(tokens, open)}, [&](int j) { return is(tokens, j, "double"); });
  const auto wide = called_with_double.find(name);
  if (has_double && wide != called_with_double.end()) return wide->second;
  const auto known = called.find(name);
  if (known != called.end()) return known->second;
  const auto function = functions.find(name);
  if (function == functions.end()) return other_call;
  if (depth == most_depth) return too_large;
  return size_of(tokens, {function->second.open, function->second.close}, functions, depth + 1);
}

unsigned size_of_operator(const Tokens& tokens, int i) {
  if (is(tokens, i, "[")) return 3;  // an index, an address, an access
  if (is_one_of(tokens, i, {"/", "/="}))
    return tokens[std::max(next(tokens, i), 0)].kind == TokenKind::number ? 1 : 4;
  const bool of_a_type = is_one_of(tokens, next(tokens, i), {")", ">"}) ||
                         is_one_of(tokens, next(tokens, i), {"const", "__restrict__"});
  if (is_one_of(tokens, i, {"*", "&"})) return of_a_type ? 0 : 1;
  return is_one_of(tokens, i,
                   {"+",  "-",  "%",  "|",  "^",  "<",  ">",  "<<", ">>", "<=", ">=", "==", "!=",
                    "++", "--", "+=", "-=", "*=", "%=", "&=", "|=", "^=", "?",  "&&", "||"});
}

/// Whether a loop's head speaks of nothing but numbers, constants by their capitals, and counters.
bool is_constant(const Tokens& tokens, const Loop& loop) {
  const auto varies = [&](int i) {
    if (!is_identifier(tokens, i) || is_one_of(tokens, i, {"int", "unsigned", "const"}))
      return false;
    const bool counts = any_in(tokens, loop.change, [&](int j) {
      return is_identifier(tokens, j) && tokens[j].text == tokens[i].text;
    });
    return !counts && has_small_letters(tokens, i);
  };
  return loop.initial.first != none && !any_in(tokens, loop.initial, varies) &&
         !any_in(tokens, loop.condition, varies) && !any_in(tokens, loop.change, varies);
}

unsigned size_of(const Tokens& tokens, const Range& range, const Functions& functions,
                 unsigned depth) {
  unsigned size = 0;
  for (int i = range.first; i != none && i <= range.last && size < too_large; i = next(tokens, i)) {
    if (is_one_of(tokens, i, {"for", "while", "do"})) {
      const auto loop = loop_at(tokens, i);
      if (!loop || !is_constant(tokens, *loop)) return too_large;
      size += inner_iterations * size_of(tokens, loop->body, functions, depth);
      i = loop->body.last;
    } else if (is_identifier(tokens, i) && is(tokens, next(tokens, i), "(")) {
      size += size_of_call(tokens, i, functions, depth);
    } else {
      size += size_of_operator(tokens, i);
    }
  }
  return size;
}

}  // namespace

Functions functions_of(const Tokens& tokens, const std::vector<FunctionBody>& bodies) {
  Functions functions;
  for (const FunctionBody& body : bodies) {
    const int name = name_of_function(tokens, body);
    if (name != none) functions[tokens[name].text] = body;
  }
  return functions;
}

unsigned size_of_body(const Tokens& tokens, const Range& body, const Functions& functions) {
  return size_of(tokens, body, functions, 0);
}

unsigned unrolled_copies(const Tokens& tokens, const Range& body, const Functions& functions) {
  // With the counter's addition; the test and the jump are there once.
  const unsigned size = size_of_body(tokens, body, functions) + 1;
  for (const unsigned copies : {4u, 2u}) {
    if (copies * size + 2 <= 200) return copies;
  }
  return 1;
}

}  // namespace kata::emulator
