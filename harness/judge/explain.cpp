#include "judge/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "judge/patterns.h"

namespace kata {

namespace {

/// Where each output element depends on one input element: the range of inputs whose outputs are
/// wrong, if most others are right; else the input of the worst element.
std::string by_input(const Wrong& wrong, std::int64_t worst) {
  if (wrong.inputs.size() != 1 || wrong.inputs[0].size() != wrong.got.size()) return {};
  const Array& x = wrong.inputs[0];
  const std::string& name = wrong.problem.signature.inputs[0].name;
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (std::int64_t i : wrong.bad) {
    least = std::min(least, x[static_cast<std::size_t>(i)]);
    most = std::max(most, x[static_cast<std::size_t>(i)]);
  }
  std::size_t inside = 0;
  for (std::size_t i = 0; i < x.size(); ++i) inside += x[i] >= least && x[i] <= most;
  const bool right_outside = x.size() - inside >= 5;
  if (right_outside && 10 * wrong.bad.size() >= 9 * inside) {
    return fmt::format(" (wrong where {} is between {} and {}, right elsewhere)", name,
                       number(least), number(most));
  }
  return fmt::format(" (where {} is {})", element_name(name, worst, wrong.dims),
                     number(x[static_cast<std::size_t>(worst)]));
}

/// What remains to be said when no pattern fits: how many, and the worst.
std::string worst_of_all(const Wrong& wrong) {
  std::int64_t worst = wrong.bad.front();
  double worst_ratio = -1;
  for (std::int64_t element : wrong.bad) {
    const auto i = static_cast<std::size_t>(element);
    const double error = std::fabs(wrong.got[i] - wrong.expected.value[i]);
    const double ratio =
        std::isnan(error) ? HUGE_VAL : error / (wrong.expected.tolerance_of(i) + 1e-30);
    if (ratio > worst_ratio) {
      worst_ratio = ratio;
      worst = element;
    }
  }
  std::string example = patterns::example(wrong, worst) + by_input(wrong, worst);
  if (wrong.one_case.values == Values::large_mean) {
    const std::string& cancels = wrong.problem.cancels;
    example += fmt::format("; the inputs are near 1000: do large numbers cancel{}?",
                           cancels.empty() ? "" : ", as in " + cancels);
  }
  if (wrong.got.size() == 1) return example;
  return fmt::format("{} of the {} elements of {} are wrong, in no known pattern; the worst: {}",
                     wrong.bad.size(), wrong.got.size(), wrong.tensor.name, example);
}

}  // namespace

std::string element_name(const std::string& tensor, std::int64_t element, const Dims& dims) {
  if (count(dims) == 1) return tensor;
  std::string name = tensor;
  for (std::int64_t i : index_of(element, dims)) name += fmt::format("[{}]", i);
  return name;
}

FirstBad bad_element(const std::string& tensor, std::int64_t element, const Dims& dims, double got,
                     double want) {
  return {.index = index_of(element, dims),
          .element = element_name(tensor, element, dims),
          .output = tensor,
          .got = got,
          .want = want};
}

std::string also_wrong(const std::string& tensor, std::size_t bad, std::size_t elements) {
  if (elements == 1) return tensor + " is wrong, too";
  return fmt::format("{} is wrong, too ({} of {} elements)", tensor, bad, elements);
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  const bool is_integer = value == std::floor(value) && std::fabs(value) < 1e11;
  return is_integer ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

Explanation explain(const Wrong& wrong) {
  using namespace patterns;
  // Most specific first: a copy is also "wrong from row 1 on", a missing term is also imprecise.
  static constexpr Sentence (*order[])(const Wrong&) = {written_with_other_stride,
                                                        nothing_written,
                                                        partly_written,
                                                        lost_sign_of_zero,
                                                        lost_infinity,
                                                        exp_overflow,
                                                        exp_underflow,
                                                        not_a_number,
                                                        unsorted,
                                                        wrong_index,
                                                        off_by_one,
                                                        wrong_total,
                                                        float_bits,
                                                        truncated,
                                                        summed_in_float,
                                                        other_element,
                                                        other_row,
                                                        whole_numbers,
                                                        wrong_identity,
                                                        infinite,
                                                        transposed,
                                                        copy_of_input,
                                                        missing_terms,
                                                        part_of_the_input,
                                                        known_mistake,
                                                        changed_values,
                                                        one_input_for_another,
                                                        signs_lost,
                                                        sign_of_an_operand,
                                                        pairs_for_halves,
                                                        channels_confused,
                                                        repeated_terms,
                                                        read_column_by_column,
                                                        along_the_columns,
                                                        read_with_other_stride,
                                                        neighbouring_input,
                                                        halves_misread,
                                                        ignored_real,
                                                        in_parts,
                                                        beginning_left_out,
                                                        tiles_out_of_order,
                                                        no_flags,
                                                        wrong_divisor,
                                                        scaled_by_a_known_number,
                                                        shifted,
                                                        reversed,
                                                        read_backwards,
                                                        end_left_out,
                                                        groups_reversed,
                                                        carried_over,
                                                        wrong_flags,
                                                        constant_added,
                                                        bytes_with_a_sign,
                                                        rounded_otherwise,
                                                        scaled_by_rows,
                                                        multiple_of_input,
                                                        straight_line,
                                                        one_or_two_values,
                                                        misplaced,
                                                        wrapped_around,
                                                        narrowed,
                                                        wrong_place,
                                                        imprecise,
                                                        scaled};
  for (const auto pattern : order) {
    if (Sentence sentence = pattern(wrong)) return *sentence;
  }
  return {worst_of_all(wrong), ExplanationKind::unknown};
}

}  // namespace kata
