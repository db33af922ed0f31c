// The inputs of a case, and cases beside the problem's own: of sizes that the seed decides, and
// beyond a grid's limit.

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "judge/judge.h"
#include "judge/shapes.h"

namespace kata {
namespace {

/// The nearest legal shape, of few parts where a kernel spends a block on each.
Shape with_fewer_parts(const Problem& problem, Shape shape) {
  return legal(problem, problem.fewer_parts ? problem.fewer_parts(std::move(shape)) : shape);
}

/// A legal shape, as often with sizes under 16 as with sizes under 256.
Shape drawn_shape(const Problem& problem, const Random& random, std::uint64_t& drawn) {
  Shape shape = problem.cases.front().shape;
  const std::uint64_t most_bits = 5 + 8 / shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Parameter& size = problem.signature.integers[i];
    const std::uint64_t bits = 1 + random.below(drawn++, most_bits);
    shape[i] = 1 + static_cast<int>(random.below(drawn++, std::uint64_t{1} << bits));
    if (!is_window(size)) shape[i] = std::min(shape[i], size.most);  // limits bring windows nearer
  }
  if (problem.fewer_parts) shape = problem.fewer_parts(std::move(shape));
  return problem.limits.nearest ? problem.limits.nearest(shape) : shape;
}

constexpr int grid_limit = 65535;  // of gridDim.y and gridDim.z

bool is_matrix_beyond_grid(const Parameter& tensor, const Shape& shape) {
  const Dims dims = tensor.dims(shape);
  return dims.size() > 1 && *std::max_element(dims.begin(), dims.end()) > grid_limit;
}

/// One size as given, the others 1; none unless a matrix of that shape is beyond the limit.
std::optional<Case> case_beyond_grid(const Problem& problem, std::size_t i, int size) {
  Shape shape(problem.cases.front().shape.size(), 1);
  shape[i] = size;
  if (problem.limits.nearest) shape = problem.limits.nearest(shape);
  const bool is_beyond = is_promised(problem, shape) &&
                         std::ranges::any_of(problem.signature.tensors, [&](const Parameter& one) {
                           return is_matrix_beyond_grid(one, shape);
                         });
  return is_beyond ? std::optional(Case{shape}) : std::nullopt;
}

/// The largest size whose tensors are drawn and held in a moment.
std::optional<Case> largest_beyond_grid(const Problem& problem, std::size_t i) {
  constexpr std::size_t most_elements = std::size_t{1} << 28;
  for (int size = problem.signature.integers[i].most; size > 0; size /= 2) {
    const std::optional<Case> one = case_beyond_grid(problem, i, size);
    std::size_t all = 0;
    for (const Parameter& tensor : problem.signature.tensors)
      all += one ? elements(tensor, one->shape) : 0;
    if (all <= most_elements) return one;
  }
  return {};
}

/// One size a multiple of 8, the others odd, and windows and steps at their least: that is often a
/// path of its own, in which a product is aligned and none of its rows.
std::vector<Case> unaligned_cases_of_windows(const Problem& problem) {
  const std::vector<Parameter>& integers = problem.signature.integers;
  std::vector<Case> cases;
  if (std::ranges::none_of(integers, is_window)) return cases;
  for (std::size_t even = 0; even < integers.size(); ++even) {
    if (is_window(integers[even])) continue;
    Shape shape(integers.size());
    for (std::size_t i = 0; i < shape.size(); ++i)
      shape[i] = is_window(integers[i]) ? integers[i].least : 3 + 2 * static_cast<int>(i % 3);
    shape[even] = 8;
    const Case one{with_fewer_parts(problem, std::move(shape))};
    if (is_promised(problem, one.shape)) cases.push_back(one);
  }
  return cases;
}

/// For each two sizes of which no case has one a multiple of 8 and the other odd: a small case.
/// Vectors of two to eight elements are aligned in rows of the one, not of the other.
std::vector<Case> unaligned_cases(const Problem& problem) {
  const auto shows = [](const Case& one, std::size_t even, std::size_t odd) {
    return one.shape[even] % 8 == 0 && one.shape[odd] % 2 == 1 && one.shape[odd] > 1;
  };
  const std::size_t sizes = problem.signature.integers.size();
  std::vector<Case> all = problem.cases, added;
  for (std::size_t even = 0; even < sizes; ++even) {
    for (std::size_t odd = 0; odd < sizes; ++odd) {
      const auto shows_these = [&](const Case& one) { return shows(one, even, odd); };
      if (even == odd || std::ranges::any_of(all, shows_these)) continue;
      Shape shape(sizes, 8);
      shape[odd] += 1;
      const Case one{with_fewer_parts(problem, std::move(shape))};
      if (!shows_these(one) || !is_promised(problem, one.shape)) continue;
      all.push_back(one);
      added.push_back(one);
    }
  }
  return added;
}

/// Remainders of two sizes modulo 4, by the sizes and the remainders.
using RemainderPairs = std::set<std::array<std::size_t, 4>>;

RemainderPairs remainders_of(const Shape& shape) {
  RemainderPairs pairs;
  for (std::size_t j = 0; j < shape.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i)
      pairs.insert(
          {i, j, static_cast<std::size_t>(shape[i] % 4), static_cast<std::size_t>(shape[j] % 4)});
  }
  return pairs;
}

Shape small_drawn_shape(const Problem& problem, const Random& random, std::uint64_t& drawn) {
  constexpr int most_of_a_window = 7, most = 28;
  Shape shape;
  for (const Parameter& size : problem.signature.integers)
    shape.push_back(
        1 + static_cast<int>(random.below(drawn++, is_window(size) ? most_of_a_window : most)));
  return with_fewer_parts(problem, std::move(shape));
}

/// As much as half of the problem's cases take.
double median_work(const Problem& problem) {
  std::vector<double> works;
  for (const Case& one : problem.cases) works.push_back(work(problem, one));
  const auto middle = works.begin() + static_cast<std::ptrdiff_t>(works.size() / 2);
  std::ranges::nth_element(works, middle);
  return *middle;
}

/// Small sizes whose remainders modulo 4, two by two, no case has: a vector may cross an end where
/// one size divides and another one leaves 3 over.
std::vector<Case> cases_of_remainders(const Problem& problem) {
  constexpr std::size_t most_cases = 12, tries = 256;
  const double most_work = median_work(problem);
  RemainderPairs seen;
  for (const Case& one : problem.cases) seen.merge(remainders_of(one.shape));
  const auto is_new = [&](const auto& pair) { return !seen.contains(pair); };
  const Random random = Random(0).stream(most_cases);
  std::uint64_t drawn = 0;
  std::vector<Case> cases;
  while (cases.size() < most_cases) {
    Shape best;
    std::ptrdiff_t most_new = 0;
    for (std::size_t i = 0; i < tries; ++i) {
      const Shape shape = small_drawn_shape(problem, random, drawn);
      const auto added = std::ranges::count_if(remainders_of(shape), is_new);
      if (added <= most_new || !is_promised(problem, shape) || work(problem, {shape}) > most_work)
        continue;
      most_new = added;
      best = shape;
    }
    if (most_new == 0) break;
    seen.merge(remainders_of(best));
    cases.push_back({best});
  }
  return cases;
}

/// Which inputs are drawn. Others are zero.
enum class Drawn { all, integers };

Inputs draw_inputs(const Problem& problem, const Case& one_case, std::uint64_t seed, Drawn drawn) {
  Random random = Random(seed).stream(static_cast<std::uint64_t>(one_case.values));
  for (int size : one_case.shape) random = random.stream(static_cast<std::uint64_t>(size));
  const Case complete{one_case.shape, one_case.values, arguments_of(problem, one_case).reals};
  Inputs inputs;
  for (const Parameter& tensor : problem.signature.inputs) {
    random = random.stream(inputs.size());
    inputs.emplace_back(tensor.type, elements(tensor, one_case.shape));
    if (drawn == Drawn::integers && is_float(tensor.type)) continue;
    const Draw draw = tensor.draw ? tensor.draw : draw::as_the_case_says();
    draw(inputs.back(), complete, random);
  }
  if (problem.arrange) problem.arrange(inputs, complete, random.stream(inputs.size()));
  return inputs;
}

}  // namespace

Inputs make_inputs(const Problem& problem, const Case& one_case, std::uint64_t seed) {
  return draw_inputs(problem, one_case, seed, Drawn::all);
}

Inputs make_integer_inputs(const Problem& problem, const Case& one_case, std::uint64_t seed) {
  return draw_inputs(problem, one_case, seed, Drawn::integers);
}

double work(const Problem& problem, const Case& one_case) {
  return work(problem.cost(one_case.shape));
}

const Case& largest(const Problem& problem, const std::vector<Case>& cases) {
  return *std::max_element(cases.begin(), cases.end(), [&](const Case& a, const Case& b) {
    return work(problem, a) < work(problem, b);
  });
}

std::vector<Case> usual_cases(const Problem& problem, std::uint64_t seed, bool all_cases) {
  std::vector<Case> cases = problem.cases;
  if (all_cases) return cases;
  for (const std::vector<Case>& more :
       {unaligned_cases(problem), unaligned_cases_of_windows(problem), cases_of_remainders(problem),
        drawn_cases(problem, seed)})
    cases.insert(cases.end() - 1, more.begin(), more.end());
  return cases;
}

std::vector<Case> drawn_cases(const Problem& problem, std::uint64_t seed) {
  constexpr int most_tries = 1000;  // limits may leave few shapes that are small enough
  const double most_work = work(problem, largest(problem, problem.cases)) / 4;
  const Random random = Random(seed).stream(problem.cases.size());
  std::uint64_t drawn = 0;
  std::vector<Case> cases;
  for (Values values : problem.drawn_values) {
    for (int i = 0; i < most_tries; ++i) {
      const Case one{drawn_shape(problem, random, drawn), values};
      if (work(problem, one) > most_work) continue;
      cases.push_back(one);
      break;
    }
  }
  return cases;
}

std::vector<Case> grid_limit_cases(const Problem& problem) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < problem.cases.front().shape.size(); ++i) {
    const auto beyond = [&](const Case& one) { return one.shape[i] > grid_limit; };
    if (std::any_of(problem.cases.begin(), problem.cases.end(), beyond)) continue;
    // A dimension may be a fraction of a size: eight weights of 4 bits share a word.
    for (int size = grid_limit + 2; size < 16 * grid_limit; size *= 2) {
      const std::optional<Case> one = case_beyond_grid(problem, i, size);
      if (!one) continue;
      cases.push_back(*one);
      break;
    }
  }
  return cases;
}

std::vector<Case> launch_cases(const Problem& problem) {
  std::vector<Case> cases = grid_limit_cases(problem);
  for (std::size_t i = 0; i < problem.cases.front().shape.size(); ++i) {
    const std::optional<Case> one = largest_beyond_grid(problem, i);
    if (one && std::ranges::find(cases, *one) == cases.end()) cases.push_back(*one);
  }
  return cases;
}

}  // namespace kata
