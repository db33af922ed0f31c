// Random inputs from integer arithmetic alone, so that they are the same on every machine: no
// std::normal_distribution, and no logarithm of any particular library.

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "judge/judge.h"

namespace kata {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): number i of the stream `key`.
std::uint64_t random_word(std::uint64_t key, std::uint64_t i) {
  std::uint64_t z = key + (i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// N(0, 1) but for its skin: the number of heads in 64 tosses (mean 32, variance 16), smoothed by a
/// uniform number in [-1/2, 1/2) (variance 1/12) and scaled. |value| stays under 8.2.
double normal(std::uint64_t key, std::uint64_t i) {
  const int heads = std::popcount(random_word(key, 2 * i));
  const auto uniform = static_cast<std::int64_t>(random_word(key, 2 * i + 1) >> 40);
  const std::int64_t fixed_point = (std::int64_t{heads - 32} << 24) + uniform - (1 << 23);
  return static_cast<double>(fixed_point) * (0x1p-24 / 4.010403137167);  // sqrt(16 + 1/12)
}

std::uint64_t mix(std::uint64_t key, std::uint64_t value) {
  return random_word(key ^ value, 0);
}

std::vector<float> draw(Values values, std::uint64_t key, std::size_t count) {
  std::vector<float> x(count);
  switch (values) {
    case Values::normal:
    case Values::outliers:
    case Values::largest_last:
      for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(normal(key, i));
      break;
    case Values::large_magnitude:
      for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(100 * normal(key, i));
      break;
    case Values::all_negative:
      for (std::size_t i = 0; i < count; ++i) {
        x[i] = static_cast<float>(-1 - std::fabs(normal(key, i)));
      }
      break;
    case Values::far_below_zero:  // powers of two, so that scaling by log2(e) rounds none apart
      for (std::size_t i = 0; i < count; ++i) {
        x[i] = -std::ldexp(1.0f, 123 + static_cast<int>(random_word(key, i) % 4));
      }
      break;
    case Values::whole_numbers:
      for (std::size_t i = 0; i < count; ++i) {
        constexpr float drawn_from[] = {-3, -2, -1, 1, 2, 3};
        x[i] = drawn_from[random_word(key, i) % std::size(drawn_from)];
      }
      break;
    case Values::constant:
      x.assign(count, static_cast<float>(normal(key, 0)));
      break;
  }
  if (values == Values::outliers && count > 0) {
    constexpr std::size_t one_in = 512;
    const std::size_t first = random_word(key, ~std::uint64_t{0}) % std::min(one_in, count);
    for (std::size_t i = first; i < count; i += one_in) x[i] *= 1000;
  }
  if (values == Values::largest_last && count > 0) {
    std::iter_swap(std::max_element(x.begin(), x.end()), x.end() - 1);
  }
  return x;
}

}  // namespace

Inputs make_inputs(const Problem& problem, const Case& one_case, std::uint64_t seed) {
  std::uint64_t key = mix(seed, static_cast<std::uint64_t>(one_case.values));
  for (int size : one_case.shape) key = mix(key, static_cast<std::uint64_t>(size));
  Inputs inputs;
  for (const Tensor& tensor : problem.inputs) {
    key = mix(key, inputs.size());
    const auto elements = static_cast<std::size_t>(count(tensor.dims(one_case.shape)));
    inputs.push_back(draw(one_case.values, key, elements));
  }
  return inputs;
}

double work(const Problem& problem, const Case& one_case) {
  return work(problem.cost(one_case.shape));
}

const Case& largest(const Problem& problem, const std::vector<Case>& cases) {
  return *std::max_element(cases.begin(), cases.end(), [&](const Case& a, const Case& b) {
    return work(problem, a) < work(problem, b);
  });
}

std::vector<Case> drawn_cases(const Problem& problem, std::uint64_t seed) {
  constexpr Values kinds[] = {Values::normal, Values::outliers, Values::all_negative};
  const double most_work = work(problem, largest(problem, problem.cases)) / 4;
  const std::uint64_t key = mix(seed, problem.cases.size());
  std::uint64_t drawn = 0;
  std::vector<Case> cases;
  while (cases.size() < std::size(kinds)) {
    Case one{problem.cases.front().shape, kinds[cases.size()]};
    const std::uint64_t most_bits = 5 + 8 / one.shape.size();
    for (int& size : one.shape) {  // as often under 16 as under 256
      const std::uint64_t bits = 1 + random_word(key, drawn++) % most_bits;
      size = 1 + static_cast<int>(random_word(key, drawn++) % (std::uint64_t{1} << bits));
    }
    if (work(problem, one) <= most_work) cases.push_back(one);
  }
  return cases;
}

}  // namespace kata
