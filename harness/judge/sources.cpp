// Patterns that compare a wrong output with the inputs.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <functional>
#include <iterator>

#include "judge/patterns.h"
#include "judge/poison.h"

namespace kata::patterns {
namespace {

/// exp(x) is infinite in float above this: ln(FLT_MAX).
constexpr float exp_limit = 88.72f;

/// exp(x) is 0 in float below this: ln of half the least subnormal number.
constexpr float exp_least = -103.97f;

double largest_input(const Inputs& inputs) {
  double largest = -HUGE_VAL;
  for (const Array& x : inputs) {
    for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, x[i]);
  }
  return largest;
}

/// Whether the right values are all in [0, 1]: what exp() is used for here, softmax and sigmoid.
bool is_a_share(const Wrong& wrong) {
  const auto& want = wrong.expected.value;
  return is_float(wrong.tensor.type) && wrong.inputs[0].size() == want.size() &&
         std::all_of(want.begin(), want.end(), [](double y) { return y >= 0 && y <= 1; });
}

/// How many elements are NaN or infinite, where that is what is wrong: exp() out of range leaves
/// them or 0. Many wrong values besides have another cause, and it made these, too; so it did where
/// exp() of the element itself is in range.
std::int64_t out_of_range(const Wrong& wrong) {
  std::int64_t broken = 0, ordinary = 0;
  for (std::int64_t i : wrong.bad) {
    const double value = got(wrong, i);
    const double exponent = wrong.inputs[0][static_cast<std::size_t>(i)];
    const bool in_range = exponent > exp_least && exponent < exp_limit;
    broken += !std::isfinite(value);
    ordinary += std::isfinite(value) ? value != 0 : in_range;
  }
  return 10 * ordinary <= static_cast<std::int64_t>(wrong.bad.size()) ? broken : 0;
}

/// The leading part of a row-major tensor.
Array leading_part(const Array& x, const Dims& dims, const Dims& part) {
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < count(part); ++i) {
    std::int64_t from = 0, stride = 1, rest = i;
    for (std::size_t d = dims.size(); d-- > 0;) {
      from += rest % part[d] * stride;
      rest /= part[d];
      stride *= dims[d];
    }
    kept.push_back(from);
  }
  return selected(x, kept);
}

/// The right result had one size been `smaller`.
Expected with_smaller_size(const Wrong& wrong, const Shape& smaller) {
  Inputs inputs;
  for (std::size_t i = 0; i < wrong.inputs.size(); ++i) {
    const Parameter& tensor = wrong.problem.signature.inputs[i];
    inputs.push_back(
        leading_part(wrong.inputs[i], tensor.dims(wrong.one_case.shape), tensor.dims(smaller)));
  }
  return reference_of(wrong, inputs, smaller);
}

/// Sizes that a loop may have stopped at instead of n, the likeliest first.
std::vector<int> likely_ends(int n) {
  std::vector<int> ends{n - 1};
  for (int width = 4; width <= 1024; width *= 2) ends.push_back((n - 1) / width * width);
  for (int first = 1 << 16; first >= 4; first /= 2) ends.push_back(first);
  ends.push_back(n / 4);
  ends.push_back(1);
  std::vector<int> result;
  for (int end : ends) {
    if (end > 0 && end < n && std::find(result.begin(), result.end(), end) == result.end()) {
      result.push_back(end);
    }
  }
  return result;
}

/// Whether one number is made of one vector of floats, of any length.
bool whole_vector(const Wrong& wrong) {
  return single(wrong) && wrong.inputs.size() == 1 && wrong.one_case.shape.size() == 1 &&
         wrong.inputs[0].type() == Type::f32 && !wrong.problem.limits.nearest;
}

bool is_maximum(const Wrong& wrong) {
  return whole_vector(wrong) &&
         reference_of(wrong, {Array(std::vector<float>{-2, -1})}, {2}).value[0] == -1;
}

bool is_constant(const Array& x) {
  return every(x, [first = x.size() > 0 ? x[0] : 0](double value) { return value == first; });
}

/// Whether every input is one number throughout, so that no term can be told from another.
bool all_terms_equal(const Wrong& wrong) {
  return std::all_of(wrong.inputs.begin(), wrong.inputs.end(), is_constant);
}

/// Whether the output has the same elements whatever that size is: it is summed over, or reduced.
bool is_reduced(const Wrong& wrong, std::size_t size) {
  Shape larger = wrong.one_case.shape;
  ++larger[size];
  return wrong.tensor.dims(larger) == wrong.dims;
}

/// A sum of one term that is 0: both a loop that never runs and one that ends too early do that.
Sentence without_its_only_term(const Wrong& wrong, std::size_t size) {
  const bool zeros = std::all_of(wrong.bad.begin(), wrong.bad.end(),
                                 [&](std::int64_t i) { return got(wrong, i) == 0; });
  if (!zeros) return {};
  return fmt::format(
      "0 for a sum of one term ({} = 1): is the last term left out, or is it a loop over whole "
      "vectors or tiles that runs 0 times? {}",
      size_name(wrong.problem, size), example(wrong, wrong.bad.front()));
}

std::string describe_end(const Wrong& wrong, std::size_t size, int end) {
  const int n = wrong.one_case.shape[size];
  const std::string name = size_name(wrong.problem, size);
  const std::string what = single(wrong) ? "element" : "term";
  if (all_terms_equal(wrong)) {
    return fmt::format("without {} of the {} {}s (as they are all equal, which does not show)",
                       n - end, n, what);
  }
  if (end == 1) return fmt::format("with the first {} alone", what);
  if (end == n / 4) {
    return fmt::format("with the first quarter alone ({} of {} = {}): bytes for floats?", end, name,
                       n);
  }
  if (end == n - 1) return fmt::format("without the last {} ({} of {} = {})", what, end, name, n);
  return fmt::format("with the first {} {}s alone ({} = {})", end, what, name, n);
}

/// What a maximum shows of where reading ended: only what is larger than it was surely not read.
std::string how_early(const Wrong& wrong) {
  if (!is_maximum(wrong)) return {};
  const auto x = wrong.inputs[0].as<float>();
  const auto read = std::find(x.begin(), x.end(), wrong.got[0]) - x.begin();
  if (read == static_cast<std::ptrdiff_t>(x.size())) return {};
  return fmt::format(
      "; so it would be without the last block, or without all that is past a grid, if x[{}] is "
      "still read",
      read);
}

/// One way of leaving elements out of a reduction over x.
struct Part {
  std::string what;
  std::function<bool(std::size_t)> holds;
};

std::vector<Part> likely_parts(std::size_t n) {
  std::vector<Part> parts;
  for (std::size_t block = 32; block <= 65536 && block < n; block *= 2) {
    const std::size_t last = (n - 1) / block;
    parts.push_back(
        {fmt::format("of the last block of {} alone: each block overwrote the one before?", block),
         [block, last](std::size_t i) { return i / block == last; }});
  }
  const std::vector<Part> strided{
      {"without the first element", [](std::size_t i) { return i != 0; }},
      {"of every other element (0, 2, 4, ...)", [](std::size_t i) { return i % 2 == 0; }},
      // Halving a block of 3, 6, 12, ... elements comes to 3, of which it adds up two.
      {"of two in three elements (0, 1, 3, 4, ...)", [](std::size_t i) { return i % 3 != 2; }},
      {"of every fourth element (0, 4, 8, ...)", [](std::size_t i) { return i % 4 == 0; }}};
  parts.insert(parts.end(), strided.begin(), strided.end());
  for (std::size_t block = 64; block <= 1024; block *= 2) {
    if (block > n) break;
    parts.push_back({fmt::format("of the first warp of each block of {}", block),
                     [block](std::size_t i) { return i % block < 32; }});
    parts.push_back({fmt::format("of the first half of each block of {}", block),
                     [block](std::size_t i) { return i % block < block / 2; }});
    parts.push_back({fmt::format("of the first element of each block of {}", block),
                     [block](std::size_t i) { return i % block == 0; }});
  }
  return parts;
}

bool whole_reduction(const Wrong& wrong) {
  return whole_vector(wrong) && wrong.inputs[0].size() > 1 && cheap_to_evaluate(wrong);
}

}  // namespace

Sentence exp_overflow(const Wrong& wrong) {
  const double largest = largest_input(wrong.inputs);
  if (largest < exp_limit || !is_a_share(wrong)) return {};
  const std::int64_t broken = out_of_range(wrong);
  if (broken == 0) return {};
  return fmt::format(
      "exp() overflows: {} of {} elements are NaN or infinite; the inputs reach {:.4g}, and exp of "
      "anything above 88.7 is infinite in float (keep the exponent at or below 0: softmax "
      "subtracts "
      "the maximum)",
      broken, wrong.got.size(), largest);
}

Sentence exp_underflow(const Wrong& wrong) {
  const double largest = largest_input(wrong.inputs);
  if (largest > exp_least || !is_a_share(wrong)) return {};
  const std::int64_t broken = out_of_range(wrong);
  if (broken == 0) return {};
  return fmt::format(
      "exp() underflows: {} of {} elements are NaN or infinite; the largest input is {:.4g}, and "
      "exp "
      "of anything below -104 is 0 in float, so a sum of them is 0, too (softmax subtracts the "
      "maximum, and a maximum starts at -infinity)",
      broken, wrong.got.size(), largest);
}

Sentence not_a_number(const Wrong& wrong) {
  std::size_t accumulated = 0;
  for (std::int64_t i : wrong.bad) {
    if (!std::isnan(got(wrong, i))) return {};
    accumulated += is_poison_computed_with(wrong.got, static_cast<std::size_t>(i));
  }
  const std::string& name = wrong.tensor.name;
  const std::string which = single(wrong) ? name + " is"
                                          : fmt::format("{} of {} elements of {} are",
                                                        wrong.bad.size(), wrong.got.size(), name);
  if (accumulated == wrong.bad.size()) {
    return fmt::format(
        "{} NaN because the kernel adds to an output that was not set first: outputs arrive as "
        "NaN, not as zero; cudaMemset it before the launch",
        which);
  }
  return fmt::format(
      "{} NaN although no input is: is everything that is read set before (the output "
      "arrives as NaN, not as zero), or is 0 divided by 0, or -inf taken from -inf?",
      which);
}

Sentence infinite(const Wrong& wrong) {
  for (std::int64_t i : wrong.bad) {
    if (!std::isinf(got(wrong, i))) return {};
  }
  return fmt::format(
      "infinite: does an exponential overflow (above 88.7), or does a logarithm take 0 (exp of "
      "anything below -104 is 0)? {}",
      example(wrong, wrong.bad.front()));
}

Sentence wrong_identity(const Wrong& wrong) {
  if (!is_maximum(wrong)) return {};
  const double value = wrong.got[0], largest = largest_input(wrong.inputs);
  const std::string& name = wrong.tensor.name;
  if (largest < value && value <= FLT_MIN && value > 0.99 * largest) {
    return fmt::format(
        "{} is {} although every input is {} (the largest is {}): start from -infinity or "
        "from the first element",
        name, number(value), value < 0 ? "less" : "negative", number(largest));
  }
  if (value <= -FLT_MAX) {
    constexpr float half_max = 65504;
    return fmt::format(
        "{} is still {}, the value to start from: nothing was reduced into it{}", name,
        number(value),
        largest < -half_max ? ", or it is narrowed to half, which ends at -65504" : "");
  }
  return {};
}

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

Sentence missing_terms(const Wrong& wrong) {
  const Shape& shape = wrong.one_case.shape;
  if (!cheap_to_evaluate(wrong) || has_indices(wrong.problem)) return {};
  for (std::size_t size = 0; size < shape.size(); ++size) {
    if (!is_reduced(wrong, size)) continue;
    if (shape[size] == 1) {
      if (Sentence sentence = without_its_only_term(wrong, size)) return sentence;
    }
    for (int end : likely_ends(shape[size])) {
      Shape smaller = shape;
      smaller[size] = end;
      if (!is_legal(wrong.problem, smaller)) continue;
      const Expected partial = with_smaller_size(wrong, smaller);
      const auto other = [&](std::int64_t i) { return partial.value[static_cast<std::size_t>(i)]; };
      if (!accounts_for_all(wrong, other)) continue;
      const std::string which =
          single(wrong) ? wrong.tensor.name + " is" : "the wrong elements are";
      return Explanation(
          fmt::format("{} what it would be {}{}: {}", which, describe_end(wrong, size, end),
                      how_early(wrong), example(wrong, wrong.bad.front())),
          all_terms_equal(wrong) ? ExplanationKind::uncertain : ExplanationKind::pattern);
    }
  }
  return {};
}

Sentence part_of_the_input(const Wrong& wrong) {
  if (!whole_reduction(wrong)) return {};
  // Of a maximum several parts have the same: it may be any of them.
  const std::size_t most_told = is_maximum(wrong) ? 3 : 1;
  std::vector<std::string> fitting;
  const Array& x = wrong.inputs[0];
  for (const Part& part : likely_parts(x.size())) {
    std::vector<std::int64_t> kept;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (part.holds(i)) kept.push_back(static_cast<std::int64_t>(i));
    }
    if (kept.empty()) continue;
    const int size = static_cast<int>(kept.size());
    const Expected partial = reference_of(wrong, {selected(x, kept)}, {size});
    if (!accounts_for(wrong, 0, partial.value[0])) continue;
    fitting.push_back(fmt::format("{} ({} of {} elements)", part.what, size, x.size()));
    if (fitting.size() == most_told) break;
  }
  if (fitting.empty()) return {};
  return fmt::format("{} is the result {}: {}", wrong.tensor.name, fmt::join(fitting, ", or "),
                     example(wrong, 0));
}

}  // namespace kata::patterns
