#include "practice/drill/classes.h"

#include <algorithm>
#include <map>

#include "emulator/lexer/lexer.h"
#include "practice/drill/reading.h"
#include "support/diff.h"

namespace kata::drill {
namespace {

using faults::FaultClass;
using Words = std::set<std::string>;

const Words conditions_words = {"if", "?", "&&", "||", "!",  "<",
                                "<=", ">", ">=", "==", "!=", "continue"};
const Words guards_words = {"if", "for", "while", "<", "<=", ">", ">=", "min"};
const Words barriers_words = {"__syncthreads", "__syncwarp"};
const Words fences_words = {"__threadfence", "__threadfence_block", "volatile"};
const Words types_words = {"int",    "unsigned", "short", "float", "half",
                           "__half", "size_t",   "expf",  "exp"};
const Words launches_words = {"<<<", "dim3"};
/// Of conditions that are no comparison with a bound.
const Words decisions_words = {"?", "&&", "||", "!", "==", "!=", "continue"};
const Words starts_words = {"0",       "0.0f",    "0.f",        "INFINITY",
                            "FLT_MAX", "FLT_MIN", "cudaMemset", "cudaMemsetAsync"};
const Words any_words;

/// A change with one of the words makes a fault of the one class look like one of the other, too.
struct Likeness {
  FaultClass fault, other;
  const Words& words;
};

const Likeness likenesses[] = {{FaultClass::indexing, FaultClass::logic, conditions_words},
                               {FaultClass::numerics, FaultClass::logic, conditions_words},
                               {FaultClass::stale_state, FaultClass::logic, conditions_words},
                               {FaultClass::layout, FaultClass::logic, decisions_words},
                               {FaultClass::bounds, FaultClass::logic, decisions_words},
                               {FaultClass::launch, FaultClass::logic, decisions_words},
                               {FaultClass::barrier, FaultClass::logic, decisions_words},
                               {FaultClass::logic, FaultClass::bounds, guards_words},
                               {FaultClass::stale_state, FaultClass::numerics, starts_words},
                               {FaultClass::indexing, FaultClass::bounds, guards_words},
                               {FaultClass::stale_state, FaultClass::bounds, guards_words},
                               {FaultClass::logic, FaultClass::indexing, any_words},
                               {FaultClass::indexing, FaultClass::layout, any_words},
                               {FaultClass::layout, FaultClass::indexing, any_words},
                               {FaultClass::bounds, FaultClass::launch, launches_words},
                               {FaultClass::race, FaultClass::barrier, barriers_words},
                               {FaultClass::race, FaultClass::memory_order, fences_words},
                               {FaultClass::numerics, FaultClass::overflow, types_words},
                               {FaultClass::overflow, FaultClass::numerics, any_words}};

using Counts = std::map<std::string, int>;  // of tokens

std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> tokens;
  for (const emulator::Token& one : emulator::lex(text)) {
    if (one.kind != emulator::TokenKind::space) tokens.push_back(one.text);
  }
  return tokens;
}

constexpr std::string_view openers = "([{", closers = ")]}";

bool is_one_of(const std::string& token, std::string_view brackets) {
  return token.size() == 1 && brackets.find(token) != std::string_view::npos;
}

/// From `at` to the bracket that closes what is open there, or to an `end` before it.
std::size_t end_of(const std::vector<std::string>& tokens, std::size_t at, const char* end) {
  for (int depth = 0; at < tokens.size(); ++at) {
    if (depth == 0 && tokens[at] == end) break;
    depth += is_one_of(tokens[at], openers);
    depth -= is_one_of(tokens[at], closers);
    if (depth < 0) break;
  }
  return at;
}

/// Where the condition before that "?" begins.
std::size_t begin_of_choice(const std::vector<std::string>& tokens, std::size_t at) {
  static const Words ends = {"=", ",", ";", "return", "?", ":", "+=", "-=", "*=", "<<<"};
  for (int depth = 0; at > 0; --at) {
    const std::string& token = tokens[at - 1];
    depth += is_one_of(token, closers);
    depth -= is_one_of(token, openers);
    if (depth < 0 || (depth == 0 && ends.contains(token))) break;
  }
  return at;
}

/// The tokens of its conditions: of if, while, bool and the middle of for; of "?" if wanted.
Counts conditions_of(const std::string& text, bool with_choices) {
  const std::vector<std::string> tokens = tokens_of(text);
  Counts counts;
  const auto add = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++counts[tokens[i]];
  };
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i] == "continue") add(i, i + 1);
    if (tokens[i] == "?" && with_choices) add(begin_of_choice(tokens, i), i + 1);
    if (tokens[i] == "if" || tokens[i] == "while")
      add(i, end_of(tokens, i + (tokens[i + 1] == "constexpr" ? 3 : 2), ")"));
    if (tokens[i] == "bool") add(i + 2, end_of(tokens, i + 2, ";"));
    if (tokens[i] != "for") continue;
    const std::size_t middle = end_of(tokens, i + 2, ";") + 1;
    add(middle, end_of(tokens, middle, ";"));
  }
  return counts;
}

/// What `more` has more often than `less`.
Words surplus(const Counts& more, const Counts& less) {
  Words words;
  for (const auto& [word, times] : more) {
    const auto found = less.find(word);
    if (found == less.end() || found->second < times) words.insert(word);
  }
  return words;
}

/// The tokens by which the conditions of two texts differ. A choice that a fault adds to a formula
/// is no wrong condition.
Words changed_conditions(const std::string& right, const std::string& faulty) {
  const Counts before = conditions_of(right, true);
  Words lost = surplus(before, conditions_of(faulty, true)),
        added = surplus(conditions_of(faulty, true), before);
  if (lost.empty() && added.contains("?"))
    added = surplus(conditions_of(faulty, false), conditions_of(right, false));
  lost.merge(added);
  return lost;
}

/// Whether what is computed differs, from the same elements: all subscripts are the same, and a
/// scalar of floating point is not.
bool is_formula(const std::string& right, const std::string& faulty, const Words& changed) {
  const auto subscripts = [](const std::string& text) {
    const std::vector<std::string> tokens = tokens_of(text);
    Counts counts;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i] != "[") continue;
      for (std::size_t at = i + 1, end = end_of(tokens, i + 1, "]"); at < end; ++at)
        ++counts[tokens[at]];
    }
    return counts;
  };
  static const Words types = {"float", "double", "half", "__half", "__nv_bfloat16"};
  const std::vector<std::string> tokens = tokens_of(right);
  Words scalars;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
    if (types.contains(tokens[i])) scalars.insert(tokens[i + 1]);
  return subscripts(right) == subscripts(faulty) &&
         std::ranges::any_of(changed, [&](const std::string& word) {
           return scalars.contains(word) && word != "*";
         });
}

bool lacks_a_launch(const std::string& right, const std::string& faulty) {
  const auto launches = [](const std::string& text) {
    return std::ranges::count(tokens_of(text), "<<<");
  };
  return launches(faulty) < launches(right);
}

}  // namespace

std::optional<FaultClass> class_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::race:
    case FindingKind::nondeterministic:
      return FaultClass::race;
    case FindingKind::barrier_divergence:
    case FindingKind::deadlock:
      return FaultClass::barrier;
    case FindingKind::out_of_bounds:
      return FaultClass::bounds;
    case FindingKind::invalid_launch:
      return FaultClass::launch;
    case FindingKind::misaligned:
      return FaultClass::layout;
    case FindingKind::uninitialized:
      return FaultClass::stale_state;
    case FindingKind::integer_overflow:
      return FaultClass::overflow;
    default:
      return {};
  }
}

std::set<FaultClass> fitting_classes(FaultClass fault, const std::string& right,
                                     const std::string& faulty, const Report& report) {
  std::set<FaultClass> all{fault};
  for (const Finding& one : report.findings) {
    const auto named = class_of(one.kind);
    if (one.severity == Severity::error && named) all.insert(*named);
  }
  Words changed = changed_words(right, faulty);
  if (changed.contains("static_cast") || changed.contains("reinterpret_cast"))
    for (const char* bracket : {"<", ">"}) changed.erase(bracket);  // that compare nothing
  const std::vector<std::string_view> lines = lines_with_ends(faulty);
  for (const Hunk& hunk : hunks_between(right, faulty)) {
    for (std::size_t line = hunk.after_begin; line < hunk.after_end; ++line)
      if (lines[line].find("for (") != std::string_view::npos) changed.insert("for");
  }
  const Words conditions = changed_conditions(right, faulty);
  Words bounds = conditions;
  for (const char* const word : {"for", "while", "min"})
    if (changed.contains(word)) bounds.insert(word);
  const bool no_launch = lacks_a_launch(right, faulty);
  // What is written to an input has a right place in a wrong tensor. A condition has no stride.
  const bool no_layout =
      !conditions.empty() || has_kind(report.findings, FindingKind::input_modified);
  for (const auto& [of, other, words] : likenesses) {
    if (other == FaultClass::layout && no_layout) continue;
    const Words& seen = other == FaultClass::logic    ? conditions
                        : other == FaultClass::bounds ? bounds
                                                      : changed;
    const bool shows =
        words.empty() ? !no_launch : std::ranges::any_of(words, [&](const std::string& word) {
          return seen.contains(word);
        });
    if (of == fault && shows) all.insert(other);
  }
  if (fault == FaultClass::indexing && conditions.empty() && is_formula(right, faulty, changed))
    all.insert(FaultClass::numerics);
  if (no_launch) all.insert({FaultClass::logic, FaultClass::launch});
  // Too few blocks leave elements out, as a wrong bound does.
  if (fault == FaultClass::launch && has_kind(report.findings, FindingKind::output_incomplete))
    all.insert(FaultClass::bounds);
  return all;
}

}  // namespace kata::drill
