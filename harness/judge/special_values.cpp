// Patterns of values that are out of range: infinities and NaN, and the number that a maximum
// starts from.

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

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

/// The name of the first input that has NaN in it: a problem may put it where nothing may be read.
std::string input_with_nan(const Wrong& wrong) {
  for (std::size_t i = 0; i < wrong.inputs.size(); ++i) {
    const Array& x = wrong.inputs[i];
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (std::isnan(x[k])) return wrong.problem.signature.inputs[i].name;
    }
  }
  return {};
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

/// Whether the tensor is an in-out buffer that held NaN in each of the wrong elements: it may not
/// be read there.
bool held_nan(const Wrong& wrong) {
  const std::vector<Parameter>& inputs = wrong.problem.signature.inputs;
  const auto same = std::find_if(inputs.begin(), inputs.end(), [&](const Parameter& input) {
    return input.name == wrong.tensor.name;
  });
  if (same == inputs.end()) return false;
  const Array& before = wrong.inputs[static_cast<std::size_t>(same - inputs.begin())];
  return std::all_of(wrong.bad.begin(), wrong.bad.end(), [&](std::int64_t i) {
    return std::isnan(before[static_cast<std::size_t>(i)]);
  });
}

}  // namespace

Sentence exp_overflow(const Wrong& wrong) {
  const double largest = largest_input(wrong.inputs);
  if (largest < exp_limit || !is_a_share(wrong)) return {};
  const std::int64_t broken = out_of_range(wrong);
  if (broken == 0) return {};
  return fmt::format(
      "exp() overflows: NaN or infinite in {} of {} elements; the inputs reach {:.4g}, and exp of "
      "anything above 88.7 is infinite in float (keep the exponent at or below 0: softmax "
      "subtracts the maximum)",
      broken, wrong.got.size(), largest);
}

Sentence exp_underflow(const Wrong& wrong) {
  const double largest = largest_input(wrong.inputs);
  if (largest > exp_least || !is_a_share(wrong)) return {};
  const std::int64_t broken = out_of_range(wrong);
  if (broken == 0) return {};
  return fmt::format(
      "exp() underflows: NaN or infinite in {} of {} elements; the largest input is {:.4g}, exp "
      "of anything below -104 is 0 in float, and so is the sum (subtract the maximum first, and "
      "start the search for it at -infinity)",
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
  if (held_nan(wrong)) {
    return fmt::format(
        "{} NaN: {} held NaN before the call and must not be read (0 times NaN is NaN)", which,
        name);
  }
  if (const std::string input = input_with_nan(wrong); !input.empty()) {
    return fmt::format(
        "{} NaN, and {} holds NaN in places that must not be used: is one of them read, or "
        "multiplied by 0 (0 times NaN is NaN)? Or is 0 divided by 0?",
        which, input);
  }
  const std::string& cancels = wrong.problem.cancels;
  return fmt::format(
      "{} NaN although no input is. Likely causes: memory read before it is set (outputs arrive as "
      "NaN, not as zero); 0 divided by 0; inf - inf; the root of {}",
      which,
      cancels.empty() ? "a negative number"
                      : cancels + ", which is negative where large numbers cancel");
}

Sentence infinite(const Wrong& wrong) {
  for (std::int64_t i : wrong.bad) {
    if (!std::isinf(got(wrong, i))) return {};
  }
  if (wrong.tensor.type == Type::f16) {
    return Explanation(
        fmt::format("infinite: a half holds at most 65504; is a sum or a product rounded to half "
                    "before the last step? {}",
                    example(wrong, wrong.bad.front())),
        ExplanationKind::uncertain);
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

Sentence lost_sign_of_zero(const Wrong& wrong) {
  const auto is_zero = [&](std::int64_t i) { return got(wrong, i) == 0 && want(wrong, i) == 0; };
  if (!is_float(wrong.tensor.type) || !std::ranges::all_of(wrong.bad, is_zero)) return {};
  const auto signs = [&](double (*of)(const Wrong&, std::int64_t)) {
    return std::ranges::count_if(wrong.bad,
                                 [&](std::int64_t i) { return std::signbit(of(wrong, i)); });
  };
  if (signs(got) == signs(want)) {
    return fmt::format(
        "zeros of both signs are in another order: {} (do elements that are equal keep their "
        "order?)",
        example(wrong, wrong.bad.front()));
  }
  const std::string first = example(wrong, wrong.bad.front());
  if (signs(got) > signs(want))
    return fmt::format("a 0 became -0: {} (a comparison takes either for the other)", first);
  return fmt::format("the sign of -0 is lost: {} (adding 0, fmaxf and comparisons do not keep it)",
                     first);
}

Sentence lost_infinity(const Wrong& wrong) {
  const auto is_lost = [&](std::int64_t i) {
    return std::isinf(want(wrong, i)) && std::isfinite(got(wrong, i));
  };
  if (!is_float(wrong.tensor.type) || !std::ranges::all_of(wrong.bad, is_lost)) return {};
  return fmt::format(
      "an infinity is lost: {} (is it clamped, or does a finite number stand for it?)",
      example(wrong, wrong.bad.front()));
}

}  // namespace kata::patterns
