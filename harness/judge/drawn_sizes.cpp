// Sizes over all of their ranges, and sizes that are multiples of each other: what host code
// decides by.

#include <algorithm>
#include <cmath>

#include "judge/judge.h"
#include "judge/large_cases.h"
#include "judge/shapes.h"

namespace kata {
namespace {

/// Sizes whose logarithms are drawn. Those that may be large are smaller until the price allows it.
Shape drawn_over_ranges(const Problem& problem, const Random& random, std::uint64_t draw) {
  constexpr double most_price = 5e6, less = 0.9, least_part = 0.1;
  constexpr std::uint64_t parts = 1 << 20;
  const std::vector<Parameter>& sizes = problem.signature.integers;
  Shape shape(sizes.size());
  for (double part = 1; part > least_part; part *= less) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double least = std::max(1, sizes[i].least), most = sizes[i].most;
      const double drawn =
          static_cast<double>(random.below(draw * sizes.size() + i, parts)) / double{parts};
      shape[i] = static_cast<int>(least *
                                  std::pow(most / least, drawn * (is_window(sizes[i]) ? 1 : part)));
    }
    shape = legal(problem, shape);
    if (is_promised(problem, shape) && price(problem, shape) <= most_price) break;
  }
  return shape;
}

/// Which sizes are multiples, and which of them have something left over.
struct Relation {
  std::size_t first, count;  ///< those that the `count` sizes behind them are multiples of
  int factor;
  bool even_rest, odd_rest;
  bool falls;  ///< counted from the last size
};

Shape related(const Problem& problem, const Relation& relation) {
  constexpr int others[] = {2, 1, 3}, bases[] = {6, 9, 10, 7};
  const std::size_t sizes = problem.signature.integers.size();
  Shape shape(sizes);
  const auto at = [&](std::size_t i) -> int& { return shape[relation.falls ? sizes - 1 - i : i]; };
  for (std::size_t i = 0; i < sizes; ++i) at(i) = others[i % std::size(others)];
  for (std::size_t i = relation.first; i < relation.first + relation.count; ++i) {
    const int base = bases[i % std::size(bases)];
    const std::size_t multiple = i + relation.count;
    const bool has_rest = multiple % 2 == 0 ? relation.even_rest : relation.odd_rest;
    at(i) = base;
    at(multiple) = relation.factor * base + (has_rest ? relation.factor % 2 * (base - 2) + 1 : 0);
  }
  return legal(problem, shape);
}

}  // namespace

std::vector<Case> cases_of_launches(const Problem& problem, std::uint64_t seed) {
  constexpr std::uint64_t cases = 200;
  const Random random = Random(seed).stream(cases);
  std::vector<Case> drawn;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Case one{drawn_over_ranges(problem, random, i)};
    if (is_promised(problem, one.shape)) drawn.push_back(one);
  }
  return drawn;
}

std::vector<Case> cases_of_multiples(const Problem& problem) {
  std::vector<Case> cases;
  const auto add = [&](const Relation& relation) {
    const Case one{related(problem, relation)};
    if (is_promised(problem, one.shape) && price(problem, one.shape) <= most_of_a_call &&
        std::ranges::find(cases, one) == cases.end())
      cases.push_back(one);
  };
  const std::size_t sizes = problem.signature.integers.size();
  for (std::size_t count = 1; count < sizes; ++count) {
    for (std::size_t first = 0; first + 2 * count <= sizes; ++first) {
      for (const bool falls : {false, true}) {
        add({first, count, 1, false, false, falls});
        for (int factor = 2; factor <= 3; ++factor)
          for (int rests = 0; rests < 4; ++rests)
            add({first, count, factor, (rests & 1) != 0, (rests & 2) != 0, falls});
      }
    }
  }
  return cases;
}

}  // namespace kata
