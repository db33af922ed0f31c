// Patterns that compare a wrong output with the right one.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "judge/patterns.h"

namespace kata::patterns {
namespace {

/// The wrong element whose right value is largest: the best one to read a ratio from.
std::int64_t largest(const std::vector<std::int64_t>& elements, const Wrong& wrong) {
  return *std::max_element(elements.begin(), elements.end(), [&](std::int64_t a, std::int64_t b) {
    return std::fabs(want(wrong, a)) < std::fabs(want(wrong, b));
  });
}

/// The factor that all wrong elements are off by; none if there is no such factor.
std::optional<double> common_ratio(const Wrong& wrong) {
  const std::int64_t reference = largest(wrong.bad, wrong);
  if (want(wrong, reference) == 0) return {};
  const double ratio = got(wrong, reference) / want(wrong, reference);
  if (!std::isfinite(ratio) || ratio == 0) return {};
  const bool all = accounts_for_all(wrong, [&](std::int64_t i) { return ratio * want(wrong, i); });
  return all ? std::optional(ratio) : std::nullopt;
}

bool near(double a, double b) {
  return std::fabs(a - b) <= 1e-4 * std::fabs(b);
}

/// The whole number that a positive one is near to, within a thousandth of it and `slack`; else 0.
double near_whole(double value, double slack = 0) {
  const double whole = std::round(value);
  return std::fabs(value - whole) < 1e-3 * value + slack ? whole : 0;
}

/// Of the float nearest to `value`, from its first bit that is set to its last; 0 for 0 and for
/// what is not finite.
int significant_bits(double value) {
  const float rounded = static_cast<float>(value);
  if (rounded == 0 || !std::isfinite(rounded)) return 0;
  int exponent = 0;
  const auto digits =
      static_cast<std::uint32_t>(std::ldexp(std::frexp(std::fabs(rounded), &exponent), 24));
  return 24 - std::countr_zero(digits);
}

/// "2 times", "1/cols times": numbers that a candidate may have put there; empty for any other.
std::string name_of_factor(const Wrong& wrong, double ratio) {
  const Shape& shape = wrong.one_case.shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 3) continue;
    const std::string name = size_name(wrong.problem, i);
    if (near(ratio, shape[i])) return fmt::format("{} = {} times", name, shape[i]);
    if (near(ratio, 1.0 / shape[i])) return fmt::format("1/{0} (1/{1}) of", name, shape[i]);
    if (near(ratio, std::sqrt(shape[i]))) return fmt::format("sqrt({}) times", name);
  }
  for (int factor : {2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 1024}) {
    if (near(ratio, factor)) return fmt::format("{} times", factor);
    if (near(ratio, 1.0 / factor)) return fmt::format("1/{} of", factor);
  }
  return {};
}

std::string which(const Wrong& wrong) {
  const std::string& name = wrong.tensor.name;
  if (single(wrong)) return name;
  if (wrong.bad.size() == wrong.got.size()) return "every element of " + name;
  return fmt::format("each of the {} wrong elements of {}", wrong.bad.size(), name);
}

/// Where every row of the right output adds up to 1 and each wrong row is off by a factor: those
/// factors and rows.
std::vector<std::pair<std::int64_t, double>> factors_of_shares(const Wrong& wrong) {
  const std::int64_t cols = wrong.dims.back();
  std::vector<std::pair<std::int64_t, double>> factors;
  for (std::size_t k = 0; k < wrong.bad.size();) {
    const std::int64_t row = wrong.bad[k] / cols;
    const auto begin = wrong.expected.value.begin() + row * cols;
    const auto most = std::max_element(begin, begin + cols);
    if (std::fabs(std::accumulate(begin, begin + cols, 0.0) - 1) > 1e-6) return {};
    const double ratio = got(wrong, most - wrong.expected.value.begin()) / *most;
    if (!std::isfinite(ratio) || ratio <= 0) return {};
    for (; k < wrong.bad.size() && wrong.bad[k] / cols == row; ++k) {
      if (!accounts_for(wrong, wrong.bad[k], ratio * want(wrong, wrong.bad[k]))) return {};
    }
    factors.emplace_back(row, ratio);
  }
  return factors;
}

}  // namespace

Sentence transposed(const Wrong& wrong) {
  if (!is_matrix(wrong.dims)) return {};
  const std::int64_t rows = wrong.dims[0], cols = wrong.dims[1];
  // Read as a [cols, rows] matrix: the same thing where the matrix is square.
  const auto flipped = [&](std::int64_t i) { return want(wrong, (i % rows) * cols + i / rows); };
  if (!accounts_for_all(wrong, flipped)) return {};
  const std::string& name = wrong.tensor.name;
  const std::string sample = example(wrong, wrong.bad.front());
  if (rows == cols)
    return fmt::format("transposed: {0}[i][j] is what {0}[j][i] should be; {1}", name, sample);
  return fmt::format(
      "transposed: {0} holds the right values in [{1}, {2}] order and not in [{2}, {1}]; {3}", name,
      cols, rows, sample);
}

Sentence wrong_divisor(const Wrong& wrong) {
  const std::int64_t cols = wrong.dims.back();
  const auto factors =
      single(wrong) ? std::vector<std::pair<std::int64_t, double>>{} : factors_of_shares(wrong);
  if (factors.empty()) return {};
  bool undivided = true, last_missing = true;
  std::set<double> ones;     // how many more times exp(0) the sums would have to hold
  std::set<double> lacking;  // how many of equal terms the sums lack
  for (const auto& [row, ratio] : factors) {
    const auto begin = wrong.expected.value.begin() + row * cols;
    const double most = *std::max_element(begin, begin + cols), last = begin[cols - 1];
    undivided = undivided && near(ratio * most, 1);
    last_missing = last_missing && std::fabs(1 - 1 / ratio - last) <= 1e-3 * last + 1e-6;
    const bool equal = *std::min_element(begin, begin + cols) == most;
    const auto terms = static_cast<double>(cols);  // each known to an ulp of the output
    lacking.insert(equal ? near_whole((1 - 1 / ratio) * terms, 0x1p-23 * terms) : 0);
    const double extra = (1 / ratio - 1) / most;
    ones.insert(near_whole(extra));
  }
  const std::string sample = example(wrong, wrong.bad.front());
  if (undivided) return fmt::format("exp(x - max) that was never divided by the sum: {}", sample);
  if (lacking.size() == 1 && *lacking.begin() >= 1) {
    return Explanation(
        fmt::format("divided by a sum that lacks {0} of the {1} elements (all are equal, so any "
                    "{0} would explain it): {2}",
                    *lacking.begin(), cols, sample),
        ExplanationKind::uncertain);
  }
  if (last_missing) {
    return fmt::format("divided by a sum that lacks the last element: {}", sample);
  }
  if (ones.size() == 1 && *ones.begin() >= 1) {
    return fmt::format(
        "divided by a sum that is too large by {} times exp(0) = 1 (threads past the end, or terms "
        "that are not rescaled to the final maximum?): {}",
        *ones.begin(), sample);
  }
  const auto [least, greatest] =
      std::minmax_element(factors.begin(), factors.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
  for (int size : wrong.one_case.shape) {
    if (near(greatest->second, size)) return {};  // a factor with a name
  }
  if (std::fabs(greatest->second - 1) < 1e-3 && std::fabs(least->second - 1) < 1e-3) {
    return {};  // that is rounding
  }
  const std::string times =
      factors.size() == 1
          ? fmt::format("{:.4g}", 1 / least->second)
          : fmt::format("{:.4g} to {:.4g}", 1 / greatest->second, 1 / least->second);
  return fmt::format("divided by a sum that is {} times what it should be: {}", times, sample);
}

/// What one should be and the one before it (the row before, in a matrix), added up.
Sentence carried_over(const Wrong& wrong) {
  if (wrong.bad.size() < 3) return {};
  const std::int64_t step = is_matrix(wrong.dims) ? wrong.dims[1] : 1;
  const auto both = [&](std::int64_t i) {
    return i < step ? std::nan("") : want(wrong, i) + want(wrong, i - step);
  };
  if (!accounts_for_all(wrong, both)) return {};
  const std::string& name = wrong.tensor.name;
  const std::int64_t i = wrong.bad.front();
  return fmt::format(
      "{} is what {} and {} should be, added up: is a sum not reset to 0 before the next? {}",
      element_name(name, i, wrong.dims), element_name(name, i - step, wrong.dims),
      element_name(name, i, wrong.dims), example(wrong, i));
}

Sentence scaled_by_a_known_number(const Wrong& wrong) {
  const std::optional<double> ratio = common_ratio(wrong);
  if (!ratio) return {};
  const std::int64_t i = largest(wrong.bad, wrong);
  if (near(*ratio, -1)) {
    return fmt::format("{} has the wrong sign: {}", which(wrong), example(wrong, i));
  }
  const std::string factor = name_of_factor(wrong, *ratio);
  if (factor.empty()) return {};
  return fmt::format("{} is {} what it should be: {}", which(wrong), factor, example(wrong, i));
}

Sentence scaled(const Wrong& wrong) {
  if (wrong.bad.size() < 3) return {};
  const std::optional<double> ratio = common_ratio(wrong);
  if (!ratio) return {};
  return fmt::format("{} is {:.6g} times what it should be: {}", which(wrong), *ratio,
                     example(wrong, largest(wrong.bad, wrong)));
}

Sentence shifted(const Wrong& wrong) {
  const auto n = static_cast<std::int64_t>(wrong.got.size());
  if (wrong.bad.size() < 3) return {};
  std::vector<std::int64_t> distances{1, 2, 3, 4, 32};
  if (is_matrix(wrong.dims)) distances.push_back(wrong.dims[1]);
  for (std::int64_t distance : distances) {
    for (std::int64_t by : {distance, -distance}) {
      const auto neighbour = [&](std::int64_t i) {
        return i + by >= 0 && i + by < n ? want(wrong, i + by) : std::nan("");
      };
      // The ends have no neighbour, and hold anything.
      const double ends =
          2.0 * static_cast<double>(distance) / static_cast<double>(wrong.bad.size());
      if (ends > 0.5 || !accounts_for_all(wrong, neighbour, std::max(ends, 0.02))) continue;
      const std::string& name = wrong.tensor.name;
      const std::int64_t i = wrong.bad[wrong.bad.size() / 2];
      const std::string right_place =
          element_name(name, std::clamp<std::int64_t>(i + by, 0, n - 1), wrong.dims);
      const std::string place =
          wrong.bad.size() < wrong.got.size() / 2 ? describe_place(wrong.bad, wrong.dims) : "";
      return fmt::format("off by {}{}: {} is {}, which is what {} should be", distance,
                         place.empty() ? "" : " in " + place, element_name(name, i, wrong.dims),
                         number(got(wrong, i)), right_place);
    }
  }
  return {};
}

Sentence reversed(const Wrong& wrong) {
  const auto n = static_cast<std::int64_t>(wrong.got.size());
  if (wrong.bad.size() < 3) return {};
  if (!accounts_for_all(wrong, [&](std::int64_t i) { return want(wrong, n - 1 - i); })) return {};
  return fmt::format("in reverse order: {}", example(wrong, wrong.bad.front()));
}

Sentence constant_added(const Wrong& wrong) {
  if (wrong.bad.size() < 3) return {};
  const double constant = got(wrong, wrong.bad.front()) - want(wrong, wrong.bad.front());
  const double size = std::fabs(want(wrong, largest(wrong.bad, wrong)));
  if (!std::isfinite(constant) || std::fabs(constant) < 1e-3 * size) return {};  // that is rounding
  const auto moved = [&](std::int64_t i) { return want(wrong, i) + constant; };
  if (!accounts_for_all(wrong, moved)) return {};
  return fmt::format("{} is too {} by {:.6g}: {}", which(wrong), constant > 0 ? "large" : "small",
                     std::fabs(constant), example(wrong, wrong.bad.front()));
}

Sentence rounded_otherwise(const Wrong& wrong) {
  if (is_float(wrong.tensor.type) || wrong.bad.size() < 4) return {};
  std::size_t up = 0;
  for (std::int64_t i : wrong.bad) {
    const double difference = got(wrong, i) - want(wrong, i);
    if (std::fabs(difference) != 1) return {};
    up += difference > 0;
  }
  return fmt::format(
      "{} of the {} elements of {} are off by 1, {} up and {} down: are they rounded in another "
      "way, or computed with slightly other numbers? {}",
      wrong.bad.size(), wrong.got.size(), wrong.tensor.name, up, wrong.bad.size() - up,
      example(wrong, wrong.bad.front()));
}

Sentence scaled_by_rows(const Wrong& wrong) {
  if (!is_matrix(wrong.dims) || wrong.bad.size() < 6) return {};
  const std::int64_t cols = wrong.dims[1];
  std::vector<double> ratios;
  std::vector<std::int64_t> row;  // the wrong elements of one row
  for (std::size_t k = 0; k <= wrong.bad.size(); ++k) {
    const bool row_ends =
        k == wrong.bad.size() || (!row.empty() && wrong.bad[k] / cols != row.front() / cols);
    if (row_ends) {
      const std::int64_t i = largest(row, wrong);
      if (row.size() < 2 || want(wrong, i) == 0) return {};
      const double ratio = got(wrong, i) / want(wrong, i);
      if (ratio == 0) return {};
      for (std::int64_t j : row) {
        if (!accounts_for(wrong, j, ratio * want(wrong, j))) return {};
      }
      ratios.push_back(ratio);
      row.clear();
    }
    if (k < wrong.bad.size()) row.push_back(wrong.bad[k]);
  }
  if (ratios.size() < 2) return {};
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  if (std::fabs(*most - 1) < 1e-3 && std::fabs(*least - 1) < 1e-3) return {};  // that is rounding
  return fmt::format(
      "in each row all wrong elements are off by the same factor ({:.4g} to {:.4g} over "
      "the rows): what the row is divided or multiplied by is wrong; {}",
      *least, *most, example(wrong, wrong.bad.front()));
}

Sentence one_or_two_values(const Wrong& wrong) {
  if (wrong.bad.size() < 3) return {};
  std::set<double> values, wanted;
  for (std::int64_t i : wrong.bad) {
    values.insert(got(wrong, i));
    wanted.insert(want(wrong, i));
    if (values.size() > 2 || std::isnan(got(wrong, i))) return {};
  }
  if (values.size() == 2 && (wrong.bad.size() < 6 || wanted.size() <= 2)) return {};
  if (near(*values.begin(), want(wrong, wrong.bad.front()))) return {};  // that is rounding
  const std::string sample = example(wrong, wrong.bad.front());
  if (values.size() == 2) {
    return fmt::format("{} is {} or {}: are values clamped? {}", which(wrong),
                       number(*values.begin()), number(*values.rbegin()), sample);
  }
  return fmt::format("{} is {}: {}", which(wrong), number(*values.begin()), sample);
}

Sentence wrapped_around(const Wrong& wrong) {
  for (int bits = 64; bits > 7; --bits) {
    const double range = std::ldexp(1.0, bits);  // an integer keeps what is in +-range / 2
    const bool wrapped = std::all_of(wrong.bad.begin(), wrong.bad.end(), [&](std::int64_t i) {
      const double value = got(wrong, i);
      const double times = std::round((want(wrong, i) - value) / range);
      return value != 0 && std::fabs(value) <= range / 2 && times != 0 &&
             accounts_for(wrong, i, want(wrong, i) - times * range);
    });
    if (!wrapped) continue;
    return fmt::format(
        "{} is off by a multiple of {:.0f} = 2^{}: does an integer (fixed point) overflow? {}",
        which(wrong), range, bits, example(wrong, wrong.bad.front()));
  }
  return {};
}

Sentence narrowed(const Wrong& wrong) {
  if (wrong.tensor.type != Type::f32) return {};
  constexpr int half_bits = 11, bfloat16_bits = 8;
  // Half makes infinities, zeros and subnormal numbers of the others.
  std::vector<std::int64_t> bad;
  std::ranges::copy_if(wrong.bad, std::back_inserter(bad), [&](std::int64_t i) {
    const double size = std::fabs(want(wrong, i));
    return std::ldexp(1.0, -14) <= size && size <= largest_finite(Type::f16);
  });
  int most = 0;
  for (std::int64_t i : bad) {
    const int bits = significant_bits(got(wrong, i));
    if (bits == 0 || bits >= significant_bits(want(wrong, i))) return {};
    most = std::max(most, bits);
  }
  if (most > half_bits) return {};
  const int kept = most > bfloat16_bits ? half_bits : bfloat16_bits;
  if (most <= kept / 2) return {};  // a power of 2, and little more, may have come about otherwise
  const bool close = std::ranges::all_of(bad, [&](std::int64_t i) {
    const double last_bit = std::ldexp(std::fabs(want(wrong, i)), 1 - kept);
    return std::fabs(got(wrong, i) - want(wrong, i)) <= last_bit;
  });
  if (!close) return {};
  return fmt::format("{} is right to {} significant bits and holds no more: narrowed to {}? {}",
                     which(wrong), kept, kept == half_bits ? "half or TF32" : "bfloat16",
                     example(wrong, wrong.bad.front()));
}

Sentence imprecise(const Wrong& wrong) {
  if (!is_float(wrong.tensor.type)) return {};
  std::vector<double> relative;
  double most_allowed = 0;
  for (std::int64_t i : wrong.bad) {
    const double error = std::fabs(got(wrong, i) - want(wrong, i));
    if (!std::isfinite(error) || want(wrong, i) == 0) return {};
    relative.push_back(error / std::fabs(want(wrong, i)));
    const double tolerance = wrong.expected.tolerance_of(static_cast<std::size_t>(i));
    most_allowed = std::max(most_allowed, tolerance > 0 ? error / tolerance : HUGE_VAL);
  }
  const auto middle = relative.begin() + static_cast<std::ptrdiff_t>(relative.size() / 2);
  std::nth_element(relative.begin(), middle, relative.end());
  if (*middle > 1e-2) return {};
  // What is rounded in float stays within a few times the tolerance.
  const char* cause = "rounding that adds up (one long float sum?) or a fast approximation";
  if (*middle > 1e-4) {
    cause =
        "is a value narrowed to half, bfloat16 or TF32, a term left out, or a function replaced by "
        "an "
        "approximation?";
  } else if (most_allowed > 16) {
    cause = "is a value narrowed to half, bfloat16 or TF32, or is it rounding that adds up?";
  }
  const std::string over = std::isfinite(most_allowed)
                               ? fmt::format("{:.3g} times the tolerance", most_allowed)
                               : std::string("where nothing may be rounded");
  const std::string who = single(wrong)
                              ? wrong.tensor.name + " is"
                              : fmt::format("{} elements are typically", wrong.bad.size());
  return Explanation(
      fmt::format("close, but not close enough: {} off by a relative {:.2g}, up to {}; {}", who,
                  *middle, over, cause),
      ExplanationKind::uncertain);
}

}  // namespace kata::patterns
