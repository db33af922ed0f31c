#include "practice/drill/classes.h"

#include <algorithm>

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
  for (const auto& [of, other, words] : likenesses) {
    const bool shows = words.empty() || std::ranges::any_of(words, [&](const std::string& word) {
                         return changed.contains(word);
                       });
    if (of == fault && shows) all.insert(other);
  }
  // Too few blocks leave elements out, as a wrong bound does.
  if (fault == FaultClass::launch && has_kind(report.findings, FindingKind::output_incomplete))
    all.insert(FaultClass::bounds);
  return all;
}

}  // namespace kata::drill
