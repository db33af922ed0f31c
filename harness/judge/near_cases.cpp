// Cases near the constants of a candidate's source: as many as a second allows.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

#include "judge/case_judge.h"
#include "judge/shapes.h"

namespace kata {
namespace {

/// Of a case's kernels, in nanoseconds, roughly.
struct Launched {
  Shape shape;
  double price;
};

/// As what power of each size the price grows at most: between cases of which one has at least four
/// times that size, and the others alike. Linear, where there are none.
std::vector<double> powers_of(const std::vector<Launched>& before, std::size_t sizes) {
  constexpr double least_factor = 4, margin = 0.1;
  std::vector<double> powers(sizes, 1);
  for (std::size_t i = 0; i < sizes; ++i) {
    double most = -1;
    for (const Launched& small : before) {
      for (const Launched& large : before) {
        const double factor = (1.0 + large.shape[i]) / (1.0 + small.shape[i]);
        if (factor < least_factor) continue;
        Shape alike = large.shape;
        alike[i] = small.shape[i];
        if (alike == small.shape)
          most = std::max(most, std::log(large.price / small.price) / std::log(factor));
      }
    }
    if (most >= 0) powers[i] = std::min(most + margin, 1.0);
  }
  return powers;
}

/// What kernels cost at most. Another path may begin at a size, so the cases of that size count,
/// for each dimension that has any; else all do.
double expected_price(const std::vector<Launched>& before, const std::vector<double>& powers,
                      const Shape& shape) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  std::vector<double> of_size(shape.size(), unknown);
  double of_all = unknown;
  for (const Launched& one : before) {
    double grown = one.price;
    for (std::size_t i = 0; i < shape.size(); ++i)
      grown *= std::pow(std::max(1.0, (1.0 + shape[i]) / (1.0 + one.shape[i])), powers[i]);
    of_all = std::min(of_all, grown);
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (one.shape[i] == shape[i]) of_size[i] = std::min(of_size[i], grown);
  }
  double most = 0;
  for (const double price : of_size) most = std::max(most, price < unknown ? price : 0);
  return most > 0 || before.empty() ? most : of_all;
}

}  // namespace

/// Prices decide which cases run, so that they are the same on each machine; the limit of time is
/// for kernels that take far longer than their launches show. Each group may take half of what the
/// ones before may not, and what they have left. A case that may take a large share of that waits
/// until others have run, which may show that it does not.
bool CaseJudge::run_near_constants(const std::vector<std::vector<Case>>& groups) {
  constexpr double most_s = 2, of_a_case = 1e5;
  const std::clock_t began = std::clock();
  std::vector<Launched> launched;
  std::vector<Case> left;
  double spent = 0, limit = 0;
  for (const std::vector<Case>& group : groups) {
    limit += (price_near_constants - limit) / 2;
    left.insert(left.end(), group.begin(), group.end());
    for (double most_share = 1.0 / 64; most_share <= 1; most_share *= 4) {
      std::vector<Case> later;
      const std::vector<double> powers = powers_of(launched, problem_.signature.integers.size());
      for (const Case& one : left) {
        const double own = of_a_case + price(problem_, one.shape);
        if (own + expected_price(launched, powers, one.shape) > most_share * (limit - spent)) {
          later.push_back(one);
          continue;
        }
        const double left_s = most_s - static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
        const Buffers buffers = allocate(problem_, one.shape, device_);
        if (left_s <= 0 || !buffers.complete) break;
        const Inputs inputs = make_inputs(problem_, one, seed_);
        take_price();
        events_.tried(one, left_s);
        Outcome outcome = call(entry_, one, inputs, buffers);
        device_.take_kernels();
        launched.push_back({one.shape, take_price()});
        spent += own + launched.back().price;
        events_.started(one);
        const CaseResult result = judged(one, inputs, buffers, outcome);
        if (result.verdict == Verdict::pass) continue;
        events_.finished(result);
        return false;
      }
      left = std::move(later);
    }
  }
  if (launched.empty()) return true;
  events_.finished({.name = fmt::format("{} sizes near constants of the source", launched.size()),
                    .verdict = Verdict::pass});
  return true;
}

}  // namespace kata
