// Sizes that leave a little over what a grid takes: the launch is computed on the host, and often
// in numbers that hold small sizes alone.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "judge/case_judge.h"
#include "judge/large_cases.h"
#include "judge/shapes.h"

namespace kata {
namespace {

constexpr int most_float = 1 << 24;

/// The largest sizes that are so much more than a multiple of the number, and of a power of two as
/// large as may be: the nearest floats are multiples.
int beyond_multiple(int most, std::uint64_t of, int rest) {
  constexpr std::uint64_t power = 1 << 10;
  std::uint64_t unit = of;
  while (unit < static_cast<std::uint64_t>(most) / 8 && unit < of * power) unit *= 2;
  const std::uint64_t multiple = static_cast<std::uint64_t>(most - rest) / unit * unit;
  return static_cast<int>(multiple) + rest;
}

}  // namespace

bool CaseJudge::check_rests() {
  const std::vector<Parameter>& sizes = problem_.signature.integers;
  if (has_structure(problem_)) return true;
  const Values values = values_that_repeat(problem_);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].most <= most_float) continue;
    const auto with = [&](int size) {
      Shape shape(sizes.size(), 1);
      shape[i] = size;
      return legal(problem_, shape);
    };
    const Shape largest =
        largest_within(problem_, std::numeric_limits<double>::infinity(), sizes[i].most, with);
    const std::optional<Sample> sample = sample_if_right({largest, values});
    if (!sample) return false;
    if (!sample->is_final || sample->blocks < 2) continue;
    const std::size_t bytes = size_of(problem_.signature.outputs.front().type);
    constexpr std::size_t vector_bytes = 16;
    for (const std::uint64_t unit : {sample->most_bytes / bytes, sample->blocks}) {
      for (const std::size_t rest : {std::size_t{1}, vector_bytes / bytes}) {
        const int size =
            beyond_multiple(largest[i], std::max<std::uint64_t>(1, unit), static_cast<int>(rest));
        if (size > most_float && !check_sample({with(size), values})) return false;
      }
    }
  }
  return true;
}

}  // namespace kata
