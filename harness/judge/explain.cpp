#include "judge/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "judge/patterns.h"

namespace kata {
namespace patterns {

bool accounts_for(const Wrong& wrong, std::int64_t element, double other) {
  const auto i = static_cast<std::size_t>(element);
  const double error = std::fabs(wrong.got[i] - wrong.expected.value[i]);
  const double rest = std::fabs(wrong.got[i] - other);
  const Type type = wrong.tensor.type;
  const double rounded = is_float(type) ? rounding(type, other) : 0;  // coarse in half and bf16
  return rest <= wrong.expected.tolerance_of(i) + 1e-6 * std::fabs(other) + rounded &&
         rest <= 0.1 * error;
}

bool is_matrix(const Dims& dims) {
  return dims.size() == 2 && dims[0] > 1 && dims[1] > 1;
}

double got(const Wrong& wrong, std::int64_t i) {
  return wrong.got[static_cast<std::size_t>(i)];
}

double want(const Wrong& wrong, std::int64_t i) {
  return wrong.expected.value[static_cast<std::size_t>(i)];
}

bool mostly_zero(const Wrong& wrong) {
  const auto zeros = std::count_if(wrong.bad.begin(), wrong.bad.end(),
                                   [&](std::int64_t i) { return got(wrong, i) == 0; });
  return 2 * zeros > static_cast<std::ptrdiff_t>(wrong.bad.size());
}

bool cheap_to_evaluate(const Wrong& wrong) {
  return wrong.problem.cost(wrong.one_case.shape).operations < 3e7;
}

Expected reference_of(const Wrong& wrong, const Inputs& inputs, const Shape& shape) {
  Case other = wrong.one_case;
  other.shape = shape;
  return expected_outputs(wrong.problem, inputs, other)[wrong.output];
}

Dims input_dims(const Wrong& wrong, std::size_t k) {
  return wrong.problem.signature.inputs[k].dims(wrong.one_case.shape);
}

bool explained_by(const Wrong& wrong, const Inputs& inputs, double exceptions) {
  const Expected other = reference_of(wrong, inputs, wrong.one_case.shape);
  const auto value = [&](std::int64_t i) { return other.value[static_cast<std::size_t>(i)]; };
  return accounts_for_all(wrong, value, exceptions);
}

bool may_be_misread(const Wrong& wrong, std::size_t input) {
  const Parameter& tensor = wrong.problem.signature.inputs[input];
  return is_float(tensor.type) || (!tensor.draw && !wrong.problem.arrange);
}

bool has_indices(const Problem& problem) {
  const std::vector<Parameter>& inputs = problem.signature.inputs;
  return problem.arrange || std::any_of(inputs.begin(), inputs.end(), [](const Parameter& tensor) {
           return !is_float(tensor.type) && tensor.draw;
         });
}

Array selected(const Array& x, const std::vector<std::int64_t>& elements) {
  Array result(x.type(), elements.size());
  const std::size_t size = size_of(x.type());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::memcpy(&result.bytes()[i * size], &x.bytes()[static_cast<std::size_t>(elements[i]) * size],
                size);
  }
  return result;
}

bool single(const Wrong& wrong) {
  return wrong.got.size() == 1;
}

std::string example(const Wrong& wrong, std::int64_t element) {
  const auto i = static_cast<std::size_t>(element);
  return fmt::format("{} is {} and should be {}",
                     element_name(wrong.tensor.name, element, wrong.dims), number(wrong.got[i]),
                     number(wrong.expected.value[i]));
}

std::string as_if(const Wrong& wrong, const std::string& what) {
  const std::string which = single(wrong) ? wrong.tensor.name + " is" : "the wrong elements are";
  return fmt::format("{} what it would be {}: {}", which, what, example(wrong, wrong.bad.front()));
}

std::string size_name(const Problem& problem, std::size_t i) {
  return problem.signature.integers[i].name;
}

}  // namespace patterns

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
    example += "; the inputs are near 1000: do large numbers cancel, as in mean(x^2) - mean(x)^2?";
  }
  if (wrong.got.size() == 1) return example;
  return fmt::format(
      "{} of the {} elements of {} are wrong, with no pattern that is known; the worst: {}",
      wrong.bad.size(), wrong.got.size(), wrong.tensor.name, example);
}

}  // namespace

std::string element_name(const std::string& tensor, std::int64_t element, const Dims& dims) {
  if (count(dims) == 1) return tensor;
  std::string name = tensor;
  for (std::int64_t i : index_of(element, dims)) name += fmt::format("[{}]", i);
  return name;
}

std::string also_wrong(const std::string& tensor, std::size_t bad, std::size_t elements) {
  if (elements == 1) return tensor + " is wrong, too";
  return fmt::format("{} is wrong, too ({} of {} elements)", tensor, bad, elements);
}

std::string number(double value) {
  return std::isnan(value) ? "NaN" : fmt::format("{:.6g}", value);
}

Explanation explain(const Wrong& wrong) {
  using namespace patterns;
  // Most specific first: a copy is also "wrong from row 1 on", a missing term is also imprecise.
  static constexpr Sentence (*order[])(const Wrong&) = {written_with_other_stride,
                                                        nothing_written,
                                                        partly_written,
                                                        exp_overflow,
                                                        exp_underflow,
                                                        not_a_number,
                                                        unsorted,
                                                        wrong_index,
                                                        off_by_one,
                                                        wrong_total,
                                                        float_bits,
                                                        truncated,
                                                        other_element,
                                                        other_row,
                                                        whole_numbers,
                                                        wrong_identity,
                                                        infinite,
                                                        transposed,
                                                        copy_of_input,
                                                        missing_terms,
                                                        part_of_the_input,
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
                                                        tiles_out_of_order,
                                                        wrong_divisor,
                                                        scaled_by_a_known_number,
                                                        shifted,
                                                        reversed,
                                                        read_backwards,
                                                        end_left_out,
                                                        groups_reversed,
                                                        carried_over,
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
