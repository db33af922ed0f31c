#include "practice/drill/wrong_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "grading/kept_profiles.h"
#include "practice/drill/reading.h"
#include "support/text.h"

namespace kata::drill {
namespace {

constexpr std::size_t own_at_first = 2;
constexpr std::size_t ladders_of_a_common_word = 3;

template <class T>
T taken(std::vector<T>& from, Draw& draw) {
  const auto at = from.begin() + draw.below(static_cast<unsigned>(from.size()));
  T one = std::move(*at);
  from.erase(at);
  return one;
}

std::vector<WrongChange> of_own_ladder(const TimedSize& size, const TimedRung& rung) {
  std::vector<WrongChange> changes;
  for (const TimedRung& one : size.rungs) {
    if (one.rung.number == 1 || one.rung.number == rung.rung.number) continue;
    if (one.row.median_us <= rung.row.median_us) continue;
    const std::string slower = "slower here: " + time_text(one.row.median_us);
    const bool is_earlier = one.rung.number < rung.rung.number;
    changes.push_back({one.rung.idea, is_earlier ? "an earlier step, " + slower : slower});
  }
  return changes;
}

/// What each rung of a ladder makes cheaper than the one before, at any size that is kept.
std::map<std::string, std::set<Cause>> savings(const Problem& problem) {
  std::map<std::string, std::set<Cause>> saved;  // by idea
  const Result<std::vector<TimedSize>> sizes = timed_sizes(problem);
  const Result<Chip> chip = sizes && !sizes->empty() ? find_chip_of(sizes->front().device)
                                                     : Result<Chip>(Error{"no times"});
  if (!chip) return saved;
  const KeptProfiles kept(problem);
  for (const TimedSize& size : *sizes) {
    std::optional<Causes> before;
    for (const TimedRung& rung : size.rungs) {
      const auto* const launches = kept.older(rung.rung.name, size.shape);
      std::optional<Causes> causes;
      if (launches && !launches->empty())
        causes = causes_of(*launches, problem.cost(size.shape), *chip);
      for (const Cause one : all_causes()) {
        if (before && causes && relieves(*before, *causes, one)) saved[rung.rung.idea].insert(one);
      }
      before = std::move(causes);
    }
  }
  return saved;
}

/// The words that several ladders use, and those of this one.
std::set<std::string> known_words(const Problem& problem) {
  std::map<std::string, std::size_t> ladders;  // that use a word
  std::set<std::string> known;
  for (const Problem& one : problems()) {
    std::set<std::string> words;
    for (const Rung& rung : ladder(one.name)) words.merge(long_words(rung.idea));
    for (const std::string& word : words)
      ladders[word] += one.name == problem.name ? ladders_of_a_common_word : 1;
  }
  for (const auto& [word, times] : ladders) {
    if (times >= ladders_of_a_common_word) known.insert(word);
  }
  return known;
}

std::vector<WrongChange> of_ladder(const Problem& other, const Causes& here,
                                   const std::set<std::string>& known) {
  std::vector<WrongChange> changes;
  for (const auto& saving : savings(other)) {
    const auto& idea = saving.first;  // clang++ 14 captures no structured bindings
    const auto& saved = saving.second;
    std::vector<std::string> names;
    for (const Cause one : saved) names.emplace_back(to_string(one));
    const bool helps = std::ranges::any_of(all_causes(), [&](Cause one) {
      return here.gain(one) >= worth_telling && (saved.contains(one) || speaks_of(idea, one));
    });
    if (helps || !std::ranges::includes(known, long_words(idea))) continue;
    changes.push_back({idea, fmt::format("in {} it reduces {}, which {} nothing here", other.name,
                                         listed(names), names.size() == 1 ? "costs" : "cost")});
  }
  return changes;
}

/// Operators of one kind are made faster by changes of the same sort.
enum class OperatorKind { product, reduction, map };

OperatorKind kind_of(const Problem& problem) {
  constexpr double much_arithmetic = 8;  // operations for each byte
  constexpr double few_outputs = 1.0 / 8;
  const Cost cost = problem.cost(problem.bench_shapes.front());
  if (cost.operations > much_arithmetic * (cost.bytes_read + cost.bytes_written))
    return OperatorKind::product;
  return cost.bytes_written < few_outputs * cost.bytes_read ? OperatorKind::reduction
                                                            : OperatorKind::map;
}

/// Whether two sentences have most of their words in common: they may be one idea.
bool share_most_words(const std::string& a, const std::string& b) {
  const std::set<std::string> one = long_words(a), other = long_words(b);
  const auto common = static_cast<std::size_t>(
      std::ranges::count_if(one, [&](const std::string& word) { return other.contains(word); }));
  return 2 * common > std::max(one.size(), other.size());
}

}  // namespace

std::vector<WrongChange> wrong_changes(const Problem& problem, const TimedSize& size,
                                       const TimedRung& rung, const std::string& next,
                                       const Causes& causes, Draw& draw, std::size_t most) {
  std::vector<WrongChange> own = of_own_ladder(size, rung), changes;
  while (changes.size() < own_at_first && !own.empty()) changes.push_back(taken(own, draw));
  const std::set<std::string> known = known_words(problem);
  std::vector<const Problem*> alike, others;
  for (const Problem& other : problems()) {
    if (other.name != problem.name)
      (kind_of(other) == kind_of(problem) ? alike : others).push_back(&other);
  }
  const auto take_from = [&](std::vector<const Problem*>& ladders) {
    while (changes.size() < most && !ladders.empty()) {
      std::vector<WrongChange> ideas = of_ladder(*taken(ladders, draw), causes, known);
      std::erase_if(ideas, [&](const WrongChange& idea) {
        const auto is_alike = [&](const std::string& text) {
          return share_most_words(text, idea.idea);
        };
        return is_alike(next) || std::ranges::any_of(changes, is_alike, &WrongChange::idea);
      });
      if (!ideas.empty()) changes.push_back(taken(ideas, draw));
    }
  };
  take_from(alike);
  while (changes.size() < most && !own.empty()) changes.push_back(taken(own, draw));
  take_from(others);
  return changes;
}

}  // namespace kata::drill
