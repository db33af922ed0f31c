// Patterns of integer results: counts, indices, rounded and reinterpreted numbers.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "judge/patterns.h"

namespace kata::patterns {
namespace {

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double sum(const Array& values) {
  double result = 0;
  for (std::size_t i = 0; i < values.size(); ++i) result += values[i];
  return result;
}

/// Whether condition(got, want) holds for all wrong elements, of at least `least`.
template <class Condition>
bool all_wrong(const Wrong& wrong, std::size_t least, Condition condition) {
  return wrong.bad.size() >= least && std::all_of(wrong.bad.begin(), wrong.bad.end(), [&](auto i) {
           return condition(got(wrong, i), want(wrong, i));
         });
}

bool is_flag(double value) {
  return value == 0 || value == 1;
}

/// Where all right values are 0 or 1, a wrong one is no number that is off by so much.
bool has_flags(const Wrong& wrong) {
  return !is_float(wrong.tensor.type) && !single(wrong) &&
         std::ranges::all_of(wrong.expected.value, is_flag);
}

}  // namespace

Sentence wrong_index(const Wrong& wrong) {
  if (!single(wrong) || is_float(wrong.tensor.type)) return {};
  const Array& x = wrong.inputs[0];
  const double at = got(wrong, 0), right = want(wrong, 0);
  const auto size = static_cast<double>(x.size());
  if (right < 0 || right >= size) return {};
  const double most = x[static_cast<std::size_t>(right)];
  if (!every(x, [&](double value) { return value <= most; })) return {};
  const std::string& name = wrong.problem.signature.inputs[0].name;
  if (at == right + 1 && (at == size || x[static_cast<std::size_t>(at)] < most)) {
    return fmt::format(
        "{} is {}, one more than it should be: does it count from 1, and not from 0?",
        wrong.tensor.name, number(at));
  }
  if (at < 0 || at >= size) {
    return fmt::format("{} is {}, which is no index of {}: it should be {}", wrong.tensor.name,
                       number(at), name, number(right));
  }
  const double there = x[static_cast<std::size_t>(at)];
  if (there == most) {
    return fmt::format(
        "{0}[{1}] is as large as {0}[{2}]: of equal elements the first is the answer", name,
        number(at), number(right));
  }
  return fmt::format("{} is {}, but {}[{}] = {} and the largest is {}[{}] = {}", wrong.tensor.name,
                     number(at), name, number(at), number(there), name, number(right),
                     number(most));
}

Sentence off_by_one(const Wrong& wrong) {
  if (!single(wrong) || is_float(wrong.tensor.type)) return {};
  const double difference = got(wrong, 0) - want(wrong, 0);
  if (std::fabs(difference) != 1) return {};
  return fmt::format("one too {}: {}", difference > 0 ? "many" : "few", example(wrong, 0));
}

Sentence wrong_total(const Wrong& wrong) {
  if (is_float(wrong.tensor.type) || single(wrong)) return {};
  const double right = sum(wrong.expected.value), total = sum(wrong.got);
  for (std::size_t k = 0; k < wrong.inputs.size(); ++k) {
    if (static_cast<double>(wrong.inputs[k].size()) != right || total == right) continue;
    const std::string& input = wrong.problem.signature.inputs[k].name;
    const char* const cause =
        total < right ? "are missing (a plain += where atomicAdd is needed, or a tail that is not "
                        "read?)"
                      : "are too many (counted twice, or added to what was there before?)";
    const std::string place = describe_place(wrong.bad, wrong.dims);
    return fmt::format("the counts add up to {:.0f}, but {} has {:.0f} elements: {:.0f} {}{}; {}",
                       total, input, right, std::fabs(total - right), cause,
                       place.empty() ? "" : "; wrong: " + place, example(wrong, wrong.bad.front()));
  }
  return {};
}

Sentence no_flags(const Wrong& wrong) {
  if (!has_flags(wrong)) return {};
  const auto other =
      std::ranges::find_if_not(wrong.bad, [&](std::int64_t i) { return is_flag(got(wrong, i)); });
  if (other == wrong.bad.end()) return {};
  return fmt::format("{} holds other values than 0 and 1: {}", wrong.tensor.name,
                     example(wrong, *other));
}

Sentence wrong_flags(const Wrong& wrong) {
  if (!has_flags(wrong)) return {};
  const auto set =
      std::ranges::count_if(wrong.bad, [&](std::int64_t i) { return got(wrong, i) == 1; });
  const auto cleared = std::ssize(wrong.bad) - set;
  const std::string place = describe_place(wrong.bad, wrong.dims);
  const auto are = [](std::ptrdiff_t count) { return count == 1 ? "is" : "are"; };
  return fmt::format(
      "of the {} elements of {}, {} that should be 0 {} 1, and {} that should be 1 {} 0{}: {}",
      wrong.got.size(), wrong.tensor.name, set, are(set), cleared, are(cleared),
      place.empty() ? "" : "; wrong: " + place, example(wrong, wrong.bad.front()));
}

Sentence float_bits(const Wrong& wrong) {
  if (wrong.tensor.type != Type::i32 && wrong.tensor.type != Type::u32) return {};
  const auto as_float = [](double value) {
    const auto integer = static_cast<std::int64_t>(value);
    return std::bit_cast<float>(static_cast<std::uint32_t>(integer));
  };
  const auto same = [&](double a, double b) { return as_float(a) == b; };
  const bool any = std::any_of(wrong.bad.begin(), wrong.bad.end(),
                               [&](std::int64_t i) { return want(wrong, i) != 0; });
  if (!any || !all_wrong(wrong, 1, same)) return {};
  return fmt::format("{} holds the bits of floats, not integers: {}", wrong.tensor.name,
                     example(wrong, wrong.bad.front()));
}

Sentence truncated(const Wrong& wrong) {
  if (is_float(wrong.tensor.type)) return {};
  const auto nearer_to_0 = [](double a, double b) { return a == b - std::copysign(1, b); };
  const bool both_signs =
      std::any_of(wrong.bad.begin(), wrong.bad.end(), [&](auto i) { return want(wrong, i) < 0; });
  if (!all_wrong(wrong, 3, nearer_to_0) || wrong.bad.size() == wrong.got.size() || !both_signs) {
    return {};
  }
  return fmt::format(
      "{} elements of {} are nearer to 0 by 1 than they should be: truncated instead of rounded? "
      "{}",
      wrong.bad.size(), wrong.tensor.name, example(wrong, wrong.bad.front()));
}

Sentence summed_in_float(const Wrong& wrong) {
  if (is_float(wrong.tensor.type)) return {};
  constexpr double whole = 1 << 24, close = 1e-5;
  const auto rounded = [](double a, double b) {
    return std::fabs(b) > whole && std::fabs(a - b) < close * std::fabs(b) &&
           static_cast<double>(static_cast<float>(a)) == a;
  };
  if (!all_wrong(wrong, 1, rounded)) return {};
  return fmt::format(
      "{} is rounded: a float holds all whole numbers up to 16777216 = 2^24, but not those above; "
      "is the sum a float? {}",
      wrong.tensor.name, example(wrong, wrong.bad.front()));
}

}  // namespace kata::patterns
