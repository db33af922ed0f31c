#include "practice/drill/drawn_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "judge/judge.h"
#include "practice/drill/judging.h"
#include "practice/drill/maths_families.h"
#include "support/text.h"

namespace kata::drill {
namespace {

/// Whether they begin at 0 and never fall, as the starts of rows do.
bool are_offsets(const Array& values) {
  if (values.size() < 3 || values[0] != 0) return false;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] < values[i - 1]) return false;
  }
  return true;
}

std::string parts_text(const Array& offsets) {
  std::vector<double> lengths;
  for (std::size_t i = 1; i < offsets.size(); ++i) lengths.push_back(offsets[i] - offsets[i - 1]);
  std::ranges::sort(lengths);
  const double least = lengths.front(), most = lengths.back();
  const std::string parts = grouped(static_cast<double>(lengths.size()));
  if (least == most) return fmt::format("{} parts of {} elements each", parts, grouped(most));
  return fmt::format("{} parts of {} to {} elements; half of them have at most {}", parts,
                     grouped(least), grouped(most), grouped(lengths[(lengths.size() - 1) / 2]));
}

std::string values_text(const Array& values) {
  std::map<double, int> times;
  for (std::size_t i = 0; i < values.size(); ++i) ++times[values[i]];
  const int most =
      std::ranges::max_element(times, {}, [](const auto& one) { return one.second; })->second;
  const std::string range =
      fmt::format("random between about {} and {}", grouped(times.begin()->first),
                  grouped(times.rbegin()->first));
  constexpr int often = 8;  // of a sample
  return most < often ? range
                      : fmt::format("{}, the most frequent value in {:.2g} % of the places", range,
                                    100.0 * most / static_cast<double>(values.size()));
}

constexpr std::size_t most_of_sample = 1 << 16;

/// Of an input that depends on no other.
Array sample_of(const Parameter& input, const Shape& shape) {
  Array values(input.type, std::min(most_of_sample, elements(input, shape)));
  (input.draw ? input.draw : draw::as_the_case_says())(values, {shape}, Random(judge_seed));
  return values;
}

Array sample_of(const Array& all) {
  Array values(all.type(), std::min(most_of_sample, all.size()));
  const Random place(judge_seed);
  for (std::size_t i = 0; i < values.size(); ++i) values.set(i, all[place.below(i, all.size())]);
  return values;
}

}  // namespace

std::string drawn_input(const Problem& problem, const Shape& shape) {
  const std::vector<Parameter>& all = problem.signature.inputs;
  const auto is_integer = [](const Parameter& one) { return !is_float(one.type); };
  std::vector<std::string> texts;
  const bool depend = problem.arrange && std::ranges::any_of(all, is_integer);
  const Inputs inputs = depend ? make_integer_inputs(problem, {shape}, judge_seed) : Inputs{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_integer(all[i])) continue;
    texts.push_back(
        fmt::format("{}: {}.", all[i].name,
                    depend && are_offsets(inputs[i])
                        ? parts_text(inputs[i])
                        : values_text(depend ? sample_of(inputs[i]) : sample_of(all[i], shape))));
  }
  if (problem.selects) texts.push_back("The values are normal, with mean 0, in random order.");
  return joined(texts, " ");
}

}  // namespace kata::drill
