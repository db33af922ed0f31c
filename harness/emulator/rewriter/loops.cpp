// Loops of kernels that nvcc may unroll with a loop for the rest (docs/fidelity.md): they say how
// often they run.
//
//   for (int i = lane; i < n; i += 32) sum += x[i];     becomes, in one line,
//   { int __kata_loop_7 = 0; for (int i = lane; i < n; i += 32) {
//     ::__kata::iterates<::__kata::less, 7, 4>(__kata_loop_7, i, i, n, 32); sum += x[i]; }
//     ::__kata::ends<7>(__kata_loop_7); }
//
// Only where lanes of a warp may run it differently often, or it uses shared memory, where nothing
// else changes its counter or its bound, and where it is left at its condition alone. The header
// finds out whether the types let nvcc compute the number of iterations (kata_emulator/loops.h). A
// loop with a pragma that the emulator's compiler obeys only says so where they do not:
//
//   #pragma unroll 4
//   for (...) { ::__kata::leaves<::__kata::less>(i, i, n, 32); sum += x[i]; }

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "emulator/rewriter/loop_size.h"
#include "emulator/rewriter/passes.h"

namespace kata::emulator {
namespace {

/// A condition: `counter < bound`, `counter + 3 < bound`, `bound > counter`.
struct Test {
  int counter;
  std::string name;  ///< of the comparison, as if the counter stood first
  Range left, bound;
};

/// What is done to the counter.
struct Change {
  std::string kind;        ///< the name in kata_emulator/loops.h
  Range step{none, none};  ///< none: 1

  bool adds() const { return kind == "added" || kind == "subtracted"; }
};

struct Counted {
  Test test;
  Change change;
};

std::string text_of(const Tokens& tokens, const Range& range) {
  std::string text;
  any_in(tokens, range, [&](int i) {
    text += (text.empty() ? "" : " ") + tokens[i].text;
    return false;
  });
  return text;
}

/// Arithmetic that has no side effects and reads no memory.
bool is_arithmetic(const Tokens& tokens, const Range& range) {
  if (range.first == none || is_one_of(tokens, range.first, {"*", "&"})) return false;
  return !any_in(tokens, range, [&](int i) {
    if (is_identifier(tokens, i))
      return is(tokens, next(tokens, i), "(") && i < range.last &&
             !is_one_of(tokens, i, {"min", "max", "sizeof"});
    return tokens[i].kind != TokenKind::number &&
           !is_one_of(tokens, i, {"+", "-", "*", "/", "%", "(", ")", ".", "::", ","});
  });
}

/// The only comparison of the condition; none if there are several, or anything looser.
int comparison_in(const Tokens& tokens, const Range& condition) {
  int found = none;
  for (int i = condition.first; i != none && i <= condition.last; i = next(tokens, i)) {
    if (opens(tokens[i])) i = closing(tokens, i);
    if (i == none) return none;
    if (!is_one_of(tokens, i, {"<", "<=", ">", ">=", "!="})) continue;
    if (found != none) return none;
    found = i;
  }
  return found == condition.first || found == condition.last ? none : found;
}

std::string name_of_comparison(std::string text, bool turned) {
  if (text == "!=") return "not_equal";
  const bool less = (text[0] == '<') != turned;
  return std::string(less ? "less" : "greater") + (text.size() == 2 ? "_equal" : "");
}

/// `turned`: the counter is the right operand of the comparison.
std::optional<Test> test_of(const Tokens& tokens, const Range& condition, bool turned) {
  const int comparison = comparison_in(tokens, condition);
  if (comparison == none) return std::nullopt;
  Range left{condition.first, previous(tokens, comparison)};
  Range bound{next(tokens, comparison), condition.last};
  if (turned) std::swap(left, bound);
  const int after = left.first == left.last ? none : next(tokens, left.first);
  const bool counts =
      is_identifier(tokens, left.first) && (after == none || is_one_of(tokens, after, {"+", "-"}));
  if (!counts || !is_arithmetic(tokens, left) || !is_arithmetic(tokens, bound)) return std::nullopt;
  return Test{left.first, name_of_comparison(tokens[comparison].text, turned), left, bound};
}

int changes_in(const Tokens& tokens, const Range& range, const std::string& name) {
  int changes = 0;
  any_in(tokens, range, [&](int i) {
    changes += is_identifier(tokens, i) && tokens[i].text == name && is_changed(tokens, i);
    return false;
  });
  return changes;
}

std::string kind_of_change(const std::string& sign) {
  static const std::map<std::string, std::string> kinds{
      {"+", "added"},   {"-", "subtracted"},    {"*", "multiplied"},
      {"/", "divided"}, {"<<", "shifted_left"}, {">>", "shifted_right"}};
  const auto known = kinds.find(sign);
  return known == kinds.end() ? "" : known->second;
}

/// `++i`, `i--`, `i += step`, `i >>= step`, `i = i + step`.
std::optional<Change> change_at(const Tokens& tokens, int i, const std::string& counter) {
  const int second = next(tokens, i), third = next(tokens, second);
  if (is_one_of(tokens, i, {"++", "--"}) && is(tokens, second, counter))
    return Change{kind_of_change(tokens[i].text.substr(1)), {none, none}};
  if (!is(tokens, i, counter) || third == none) return std::nullopt;
  if (is_one_of(tokens, second, {"++", "--"}))
    return Change{kind_of_change(tokens[second].text.substr(1)), {none, none}};
  std::string sign = tokens[second].text;
  int operand = third;
  if (sign == "=" && is(tokens, third, counter)) {
    sign = tokens[std::max(next(tokens, third), 0)].text;
    operand = next(tokens, next(tokens, third));
  } else if (is(tokens, third, "=")) {  // the lexer has no `>>=`
    operand = next(tokens, third);
  } else {
    sign = sign.back() == '=' ? sign.substr(0, sign.size() - 1) : "";
  }
  const Change change{kind_of_change(sign), {operand, end_of_value(tokens, operand)}};
  if (change.kind.empty() || !is_arithmetic(tokens, change.step)) return std::nullopt;
  return change;
}

/// The one place where the counter changes: between the brackets of `for`, or in a statement of a
/// while loop's body that runs each time.
std::optional<Change> change_of(const Tokens& tokens, const Loop& loop,
                                const std::string& counter) {
  const bool in_body = is(tokens, loop.keyword, "while");
  const Range& where = in_body ? loop.body : loop.change;
  if (changes_in(tokens, where, counter) != 1 || in_body != is(tokens, where.first, "{"))
    return std::nullopt;
  bool begins = true;
  for (int i = in_body ? next(tokens, where.first) : where.first; i != none && i <= where.last;
       i = next(tokens, i)) {
    const auto change = begins ? change_at(tokens, i, counter) : std::nullopt;
    if (change) return change;
    if (opens(tokens[i])) i = closing(tokens, i);
    if (i == none) break;
    begins = is_one_of(tokens, i, {",", ";", "}"});
  }
  return std::nullopt;
}

/// Whether nothing but the condition ends the loop.
bool runs_to_its_end(const Tokens& tokens, const Loop& loop) {
  const bool is_while = is(tokens, loop.keyword, "while");
  return !any_in(tokens, loop.body, [&](int i) {
    return is_one_of(tokens, i, {"break", "return", "goto", "throw"}) ||
           (is_while && is(tokens, i, "continue"));
  });
}

bool is_innermost(const Tokens& tokens, const Loop& loop) {
  return !has_any(tokens, loop.body, {"for", "while", "do"});
}

/// What the loop's `for` sets the counter to.
Range initial_value(const Tokens& tokens, const Loop& loop, const std::string& counter) {
  for (int i = loop.initial.first; i != none && i <= loop.initial.last; i = next(tokens, i)) {
    if (is(tokens, i, counter) && is(tokens, next(tokens, i), "="))
      return {next(tokens, next(tokens, i)), end_of_value(tokens, next(tokens, next(tokens, i)))};
  }
  return {none, none};
}

bool changes_bound(const Tokens& tokens, const Loop& loop, const Test& test) {
  const auto changes = [&](int i) {
    if (!is_identifier(tokens, i) || i == test.counter) return false;
    return changes_in(tokens, loop.body, tokens[i].text) > 0 ||
           changes_in(tokens, loop.change, tokens[i].text) > 0;
  };
  return any_in(tokens, test.left, changes) || any_in(tokens, test.bound, changes);
}

/// The arguments of a loop's calls after the token and the counter.
std::string numbers_of(const Tokens& tokens, const Counted& counted, const Range& start) {
  const Change& change = counted.change;
  const std::string step = change.step.first == none ? "1" : text_of(tokens, change.step);
  return text_of(tokens, start) + ", " + text_of(tokens, counted.test.bound) + ", " + step;
}

/// `call` is what an iteration begins with, up to its arguments: the token, the counter, `start`,
/// the bound and the step. `before`: what comes before the loop.
void write_calls(Tokens& tokens, const Loop& loop, const Counted& counted, const std::string& call,
                 const Range& start, const std::string& before = "") {
  const std::string number = std::to_string(loop.keyword), token = "__kata_loop_" + number;
  const std::string begin = "::__kata::" + call + "(" + token + ", " +
                            tokens[counted.test.counter].text + ", " +
                            numbers_of(tokens, counted, start) + "); ";
  tokens[loop.keyword].output.insert(0, "{ int " + token + " = 0; " + before);
  tokens[loop.body.first].output.insert(0, "{ " + begin);
  tokens[loop.body.last].output += " } ::__kata::ends<" + number + ">(" + token + "); }";
}

/// Whether all lanes of a warp run the loop equally often, by its text.
bool is_uniform(const Tokens& tokens, const Loop& loop, const Test& test, const Names& variables) {
  const std::string& counter = tokens[test.counter].text;
  return is_uniform(tokens, initial_value(tokens, loop, counter), variables) &&
         is_uniform(tokens, test.bound, variables);
}

std::optional<Counted> counted(const Tokens& tokens, const Loop& loop, bool turned) {
  const auto test = test_of(tokens, loop.condition, turned);
  if (!test) return std::nullopt;
  const std::string& counter = tokens[test->counter].text;
  const auto change = change_of(tokens, loop, counter);
  const bool is_for = is(tokens, loop.keyword, "for");
  if (!change || (is_for && changes_in(tokens, loop.body, counter) > 0)) return std::nullopt;
  if (changes_bound(tokens, loop, *test)) return std::nullopt;
  return Counted{*test, *change};
}

struct Surroundings {
  const RewriteOptions& options;
  const Functions& functions;
  const FunctionOnDevice& device;
};

bool has_shared(const Tokens& tokens, const Loop& loop, const Surroundings& around) {
  return any_in(tokens, loop.body, [&](int i) {
    return is_identifier(tokens, i) && around.device.shared.count(tokens[i].text) > 0 &&
           is_one_of(tokens, next(tokens, i), {"[", ".", "->"});
  });
}

/// Whether nvcc counts the iterations: by sums, towards the bound.
bool may_be_unrolled(const Tokens& tokens, const Counted& found) {
  const std::string& test = found.test.name;
  if (!found.change.adds()) return false;
  if (has_any(tokens, found.change.step, {"warpSize"})) return false;  // a number for ptxas alone
  return test == "not_equal" || (test[0] == 'g') == (found.change.kind == "subtracted");
}

/// Whether the odd iterations of an unrolled loop come last: where an integer that the loop changes
/// has a known value before it, as the counter from 0 on.
bool has_rest_last(const Tokens& tokens, const Loop& loop, const Counted& found,
                   const Surroundings& around) {
  const Names known = known_integers(tokens, {around.device.function.body.open, loop.body.first});
  if (known.count(tokens[found.test.counter].text)) return true;
  return any_in(tokens, loop.body, [&](int i) {
    return is_identifier(tokens, i) && known.count(tokens[i].text) && is_changed(tokens, i);
  });
}

/// How nvcc makes so many copies of the body (kata_emulator/loops.h).
std::string unrolling_of(const Tokens& tokens, const Loop& loop, const Counted& found,
                         const Surroundings& around, unsigned copies) {
  if (copies == 1) return "1";
  return std::to_string(copies) +
         (has_rest_last(tokens, loop, found, around) ? " | ::__kata::rest_last" : "") +
         (has_shared(tokens, loop, around) ? " | ::__kata::apart" : "");
}

/// A loop that may be unrolled as a whole or in part, or is if that is `demanded`: of interest for
/// neighbours in shared memory.
void rewrite_constant(Tokens& tokens, const Loop& loop, const Counted& found,
                      const Surroundings& around, bool demanded) {
  const Range initial = initial_value(tokens, loop, tokens[found.test.counter].text);
  if (!has_shared(tokens, loop, around) || !is_arithmetic(tokens, initial) ||
      found.test.left.first != found.test.left.last)
    return;
  const unsigned size =
      demanded ? 0 : size_of_body(tokens, loop.body, around.device.function, around.functions);
  const unsigned copies = demanded || !may_be_unrolled(tokens, found) ? 1 : unrolled_copies(size);
  const std::string call = "copies<::__kata::" + found.test.name +
                           ", ::__kata::" + found.change.kind + ", " +
                           std::to_string(loop.keyword) + ", " + std::to_string(size) + ", " +
                           unrolling_of(tokens, loop, found, around, copies) + ">";
  write_calls(tokens, loop, found, call, initial);
}

/// Whether nvcc may load what the loop needs after it knows that the loop runs at all: not where
/// something that the loop uses is divided or a root, for which the device branches.
bool may_wait_for_guard(const Tokens& tokens, const Loop& loop, const Surroundings& around) {
  Names used;
  any_in(tokens, loop.body, [&](int i) {
    if (is_identifier(tokens, i)) used.insert(tokens[i].text);
    return false;
  });
  const auto branches = [&](int i) {
    if (is_one_of(tokens, i, {"/", "/="}))
      return tokens[std::max(next(tokens, i), 0)].kind != TokenKind::number;
    return is_one_of(tokens, i, {"sqrtf", "sqrt"});
  };
  return !any_in(tokens, {around.device.function.body.open, loop.keyword}, [&](int i) {
    return is_identifier(tokens, i) && used.count(tokens[i].text) > 0 &&
           is(tokens, next(tokens, i), "=") &&
           any_in(tokens, {next(tokens, i), end_of_value(tokens, next(tokens, i))}, branches);
  });
}

void rewrite_counted(Tokens& tokens, const Loop& loop, const Counted& found,
                     const Surroundings& around, bool demanded) {
  const std::string& test = found.test.name;
  if (!may_be_unrolled(tokens, found)) return;
  if (demanded) {
    const std::string& counter = tokens[found.test.counter].text;
    tokens[loop.body.first].output.insert(
        0, "{ ::__kata::leaves<::__kata::" + test + ">(" + counter + ", " +
               numbers_of(tokens, found, found.test.left) + "); ");
    tokens[loop.body.last].output += " }";
    return;
  }
  const unsigned copies =
      unrolled_copies(size_of_body(tokens, loop.body, around.device.function, around.functions));
  if (copies == 1) return;
  const std::string call = "iterates<::__kata::" + test + ", " + std::to_string(loop.keyword) +
                           ", " + unrolling_of(tokens, loop, found, around, copies) + ">";
  const bool may_wait = may_wait_for_guard(tokens, loop, around);
  write_calls(tokens, loop, found, call, found.test.left, may_wait ? "" : "::__kata::in_order(); ");
}

/// `for (;;)`, `while (true)`
bool is_endless(const Tokens& tokens, const Loop& loop) {
  const auto& [first, last] = loop.condition;
  return first == none || (first == last && is_one_of(tokens, first, {"true", "1"}));
}

/// g++ leaves a loop that does nothing without a basic block, and so without a call that could end
/// it.
void rewrite_endless(Tokens& tokens, const Loop& loop) {
  tokens[loop.body.first].output.insert(0, "{ __asm__ volatile(\"\"); ");
  tokens[loop.body.last].output += " }";
}

/// Operations of a warp, and the functions of the file that have some.
Names names_of_meetings(const Tokens& tokens, const std::vector<FunctionOnDevice>& on_device) {
  Names names{"__syncwarp"};
  any_in(tokens, {0, static_cast<int>(tokens.size()) - 1}, [&](int i) {
    if (is_identifier(tokens, i) && tokens[i].text.ends_with("_sync")) names.insert(tokens[i].text);
    return false;
  });
  for (std::size_t known = 0; known < names.size();) {
    known = names.size();
    for (const FunctionOnDevice& device : on_device) {
      const FunctionBody& body = device.function.body;
      const int name = name_of_function(tokens, body);
      if (name != none && !device.is_kernel && names_any(tokens, {body.open, body.close}, names))
        names.insert(tokens[name].text);
    }
  }
  return names;
}

/// Lanes that have left such a loop are not where those are that are still in it. A `return` leaves
/// it, too, but in a kernel also the block.
void rewrite_meeting(Tokens& tokens, const Loop& loop, bool is_in_kernel, const Names& meetings) {
  if (!names_any(tokens, loop.body, meetings) || has_any(tokens, loop.body, {"goto"}) ||
      (!is_in_kernel && has_any(tokens, loop.body, {"return"})) ||
      has_directive(tokens, loop.keyword, loop.body.last) ||
      !unroll_pragma_of(tokens, loop.keyword).empty())
    return;
  const std::string before = "__kata_before_" + std::to_string(loop.keyword);
  tokens[loop.keyword].output.insert(0, "{ const unsigned " + before + " = __kata_operations(); ");
  tokens[loop.body.last].output += " __kata_left_loop(" + before + "); }";
}

void rewrite_loop(Tokens& tokens, const Loop& loop, const Surroundings& around) {
  if (has_directive(tokens, loop.keyword, loop.body.last) || !runs_to_its_end(tokens, loop)) return;
  const std::string pragma = unroll_pragma_of(tokens, loop.keyword);
  // Without braces one token would get the calls of both loops.
  const bool may_nest = !pragma.empty() && is(tokens, loop.body.first, "{");
  if (!may_nest && !is_innermost(tokens, loop)) return;
  if (is_endless(tokens, loop)) return rewrite_endless(tokens, loop);
  const bool demanded = !pragma.empty();
  if (demanded && (around.options.unroll || forbids_unrolling(pragma))) return;
  auto found = counted(tokens, loop, false);
  if (!found) found = counted(tokens, loop, true);
  if (!found) return;
  const bool uniform = is_uniform(tokens, loop, found->test, around.device.variables);
  if (!uniform) {
    rewrite_counted(tokens, loop, *found, around, demanded);
  } else if (!demanded || !is_short(tokens, loop)) {
    rewrite_constant(tokens, loop, *found, around, demanded);
  }
}

}  // namespace

void rewrite_loops(Tokens& tokens, const RewriteOptions& options, const Functions& functions,
                   const std::vector<FunctionOnDevice>& on_device) {
  const Names meetings = names_of_meetings(tokens, on_device);
  for (const FunctionOnDevice& device : on_device) {
    const FunctionBody& body = device.function.body;
    for (int i = body.open; i != none && i < body.close; i = next(tokens, i)) {
      if (const auto loop = loop_at(tokens, i))
        rewrite_loop(tokens, *loop, {options, functions, device});
    }
    // The inner ones first: without braces an outer one ends at the same token.
    for (int i = body.close - 1; i > body.open; --i)
      if (const auto loop = loop_at(tokens, i))
        rewrite_meeting(tokens, *loop, device.is_kernel, meetings);
  }
}

}  // namespace kata::emulator
