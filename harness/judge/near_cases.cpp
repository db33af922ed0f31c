// Cases near the constants of a candidate's source: as many as a second allows.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <optional>
#include <utility>

#include "judge/case_judge.h"
#include "judge/shapes.h"

namespace kata {
namespace {

constexpr double most_s = 2;
constexpr double of_a_case = 1e5;

std::vector<double> logarithms_of(const Shape& shape) {
  std::vector<double> logarithms;
  for (const int size : shape) logarithms.push_back(std::log(1.0 + size));
  return logarithms;
}

bool are_alike_but(const Shape& a, const Shape& b, std::size_t size) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (i != size && a[i] != b[i]) return false;
  return true;
}

/// As what power of each size the price grows at most: between cases of which one has at least four
/// times that size, and the others alike. Linear, where there are none.
std::vector<double> powers_of(const std::vector<LaunchedCase>& before, std::size_t sizes) {
  constexpr double least_factor = 4, margin = 0.1;
  std::vector<double> powers(sizes, 1);
  for (std::size_t i = 0; i < sizes; ++i) {
    double most = -1;
    for (const LaunchedCase& small : before) {
      for (const LaunchedCase& large : before) {
        const double factor = (1.0 + large.one.shape[i]) / (1.0 + small.one.shape[i]);
        if (factor < least_factor) continue;
        if (are_alike_but(small.one.shape, large.one.shape, i))
          most = std::max(most, std::log(large.price / small.price) / std::log(factor));
      }
    }
    if (most >= 0) powers[i] = std::min(most + margin, 1.0);
  }
  return powers;
}

/// What kernels cost at most. Another path may begin at a size, so the cases of that size count,
/// for each dimension that has any; else all do.
double expected_price(const std::vector<LaunchedCase>& before, const std::vector<double>& powers,
                      const Shape& shape) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  std::vector<double> of_size(shape.size(), unknown);
  double of_all = unknown;
  const std::vector<double> logarithms = logarithms_of(shape);
  for (const auto& [one, price, own_logarithms] : before) {
    double growth = 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
      growth += powers[i] * std::max(0.0, logarithms[i] - own_logarithms[i]);
    const double grown = growth > 0 ? price * std::exp(growth) : price;
    of_all = std::min(of_all, grown);
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (one.shape[i] == shape[i]) of_size[i] = std::min(of_size[i], grown);
  }
  double most = 0;
  for (const double price : of_size) most = std::max(most, price < unknown ? price : 0);
  return most > 0 || before.empty() ? most : of_all;
}

}  // namespace

/// Such a case's one call: what its kernels cost, or none if it failed. A failure is reported.
std::optional<double> CaseJudge::price_if_right(const Case& one, const Buffers& buffers,
                                                double left_s) {
  const Inputs inputs = make_inputs(problem_, one, seed_);
  take_price();
  events_.tried(one, left_s);
  Outcome outcome = call(entry_, one, inputs, buffers);
  device_.take_kernels();
  const double price = take_price();
  events_.started(one);
  const CaseResult result = judged(one, inputs, buffers, outcome);
  if (result.verdict == Verdict::pass) return price;
  events_.finished(result);
  return std::nullopt;
}

bool CaseJudge::run_again(const std::vector<LaunchedCase>& cases, double most_s) {
  constexpr double most_price = price_near_constants / 5;
  const std::clock_t began = std::clock();
  double spent = 0;
  for (const auto& [one, price_of_kernels, logarithms] : cases) {
    const double next = of_a_case + price(problem_, one.shape) + price_of_kernels;
    if (spent + next > most_price) continue;
    const Buffers buffers = allocate(problem_, one.shape, device_);
    const double left_s = most_s - processor_seconds_since(began);
    if (left_s <= 0 || !buffers.complete) break;
    if (!price_if_right(one, buffers, left_s)) return false;
    spent += next;
  }
  return true;
}

/// Prices decide which cases run, so that they are the same on each machine; the limit of time is
/// for kernels that take far longer than their launches show. Each group may take half of what the
/// ones before may not, and what they have left. A case that may take a large share of that waits
/// until others have run, which may show that it does not. Then the last ones run again, backwards:
/// until then most calls are larger than those before, and find nothing in what is kept.
bool CaseJudge::run_near_constants(const std::vector<std::vector<Case>>& groups) {
  const std::clock_t began = std::clock();
  std::vector<LaunchedCase> launched;
  std::vector<Case> left;
  double spent = 0, limit = 0;
  for (const std::vector<Case>& group : groups) {
    limit += (price_near_constants - limit) / 2;
    left.insert(left.begin(), group.begin(), group.end());
    for (double most_share = 1.0 / 64; most_share <= 1; most_share *= 4) {
      std::vector<Case> later;
      const std::vector<double> powers = powers_of(launched, problem_.signature.integers.size());
      for (const Case& one : left) {
        const double own = of_a_case + price(problem_, one.shape);
        if (own + expected_price(launched, powers, one.shape) > most_share * (limit - spent)) {
          later.push_back(one);
          continue;
        }
        const Buffers buffers = allocate(problem_, one.shape, device_);
        const double left_s = most_s - processor_seconds_since(began);
        if (left_s <= 0 || !buffers.complete) break;
        if (one.values != Values::normal && !fits_outputs(problem_, one, seed_)) continue;
        const std::optional<double> price = price_if_right(one, buffers, left_s);
        if (!price) return false;
        launched.push_back({one, *price, logarithms_of(one.shape)});
        spent += own + *price;
      }
      left = std::move(later);
    }
  }
  if (launched.empty()) return true;
  std::ranges::reverse(launched);
  if (!run_again(launched, most_s - processor_seconds_since(began))) return false;
  events_.finished({.name = fmt::format("{} sizes near constants of the source", launched.size()),
                    .verdict = Verdict::pass});
  return true;
}

}  // namespace kata
