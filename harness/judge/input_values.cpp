// Patterns of outputs that hold the inputs, or a simple function of them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "judge/patterns.h"

namespace kata::patterns {

Sentence other_element(const Wrong& wrong) {
  if (!is_maximum(wrong)) return {};
  const auto x = wrong.inputs[0].as<float>();
  const double value = wrong.got[0];
  const std::string name = wrong.tensor.name;
  if (value == *std::min_element(x.begin(), x.end())) {
    return fmt::format("{} is the smallest element, {}, and should be {}", name, number(value),
                       number(wrong.expected.value[0]));
  }
  if (value < 1 || value >= static_cast<double>(x.size())) return {};
  const auto at = static_cast<std::size_t>(value);
  if (value == static_cast<double>(at) && x[at] == wrong.expected.value[0]) {
    return fmt::format("{} is the index of the largest element, {}, and should be its value, {}",
                       name, at, number(x[at]));
  }
  return {};
}

Sentence other_row(const Wrong& wrong) {
  if (wrong.dims.size() != 2 || !wrong.expected.tolerance.empty()) return {};
  const std::int64_t cols = wrong.dims[1];
  for (std::size_t k = 0; k < wrong.inputs.size(); ++k) {
    const Parameter& tensor = wrong.problem.signature.inputs[k];
    const Dims dims = tensor.dims(wrong.one_case.shape);
    if (dims.size() != 2 || dims[1] != cols) continue;
    const auto row_like = [&](const auto& of_output, std::int64_t row) -> std::int64_t {
      for (std::int64_t r = 0; r < dims[0]; ++r) {
        std::int64_t col = 0;
        while (col < cols && wrong.inputs[k][static_cast<std::size_t>(r * cols + col)] ==
                                 of_output[static_cast<std::size_t>(row * cols + col)])
          ++col;
        if (col == cols) return r;
      }
      return -1;
    };
    const std::int64_t row = wrong.bad.front() / cols;
    const std::int64_t held = row_like(wrong.got, row);
    const std::int64_t wanted = row_like(wrong.expected.value, row);
    if (held < 0 || wanted < 0) continue;
    return fmt::format("row {} of {} holds row {} of {} and should hold row {}{}", row,
                       wrong.tensor.name, held, tensor.name, wanted,
                       wanted - held == 65536 ? ": is an index kept in 16 bits?" : "");
  }
  return {};
}

Sentence copy_of_input(const Wrong& wrong) {
  for (std::size_t k = 0; k < wrong.inputs.size(); ++k) {
    const Array& x = wrong.inputs[k];
    if (x.size() != wrong.got.size()) continue;
    const auto same = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
    if (!accounts_for_all(wrong, same)) continue;
    return fmt::format("the {} wrong elements are those of the input {}, unchanged: {}",
                       wrong.bad.size(), wrong.problem.signature.inputs[k].name,
                       example(wrong, wrong.bad.front()));
  }
  return {};
}

Sentence multiple_of_input(const Wrong& wrong) {
  if (wrong.bad.size() < 3) return {};
  for (std::size_t k = 0; k < wrong.inputs.size(); ++k) {
    const Array& x = wrong.inputs[k];
    if (x.size() != wrong.got.size()) continue;
    const auto first = static_cast<std::size_t>(wrong.bad.front());
    const double factor = wrong.got[first] / x[first];
    const auto multiple = [&](std::int64_t i) { return factor * x[static_cast<std::size_t>(i)]; };
    if (is_constant(x) || !std::isfinite(factor) || factor == 0 ||
        !accounts_for_all(wrong, multiple))
      continue;
    return fmt::format("the {} wrong elements are {:.4g} times those of the input {}: {}",
                       wrong.bad.size(), factor, wrong.problem.signature.inputs[k].name,
                       example(wrong, wrong.bad.front()));
  }
  return {};
}

Sentence straight_line(const Wrong& wrong) {
  const Array& x = wrong.inputs[0];
  if (x.size() != wrong.got.size()) return {};
  const auto x_of = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
  const auto smaller = [&](std::int64_t i, std::int64_t j) {
    return got(wrong, i) < got(wrong, j);
  };
  const auto [lowest, highest] = std::minmax_element(wrong.bad.begin(), wrong.bad.end(), smaller);
  const double low = got(wrong, *lowest), high = got(wrong, *highest);
  std::vector<std::int64_t> between;  // the ends may be where a line is cut off
  std::copy_if(wrong.bad.begin(), wrong.bad.end(), std::back_inserter(between),
               [&](std::int64_t i) { return low < got(wrong, i) && got(wrong, i) < high; });
  if (between.size() < 3) return {};
  const auto [first, last] =
      std::minmax_element(between.begin(), between.end(),
                          [&](std::int64_t i, std::int64_t j) { return x_of(i) < x_of(j); });
  const double slope = (got(wrong, *last) - got(wrong, *first)) / (x_of(*last) - x_of(*first));
  const double at_zero = got(wrong, *first) - slope * x_of(*first);
  const auto line = [&](std::int64_t i) {
    return std::clamp(slope * x_of(i) + at_zero, low, high);
  };
  if (!std::isfinite(slope) || !accounts_for_all(wrong, line)) return {};
  return fmt::format(
      "the {} wrong elements lie on a straight line, {:.4g} {} {} {:.4g}: is it an approximation? "
      "{}",
      wrong.bad.size(), slope, wrong.problem.signature.inputs[0].name, at_zero < 0 ? '-' : '+',
      std::fabs(at_zero), example(wrong, wrong.bad.front()));
}

}  // namespace kata::patterns
