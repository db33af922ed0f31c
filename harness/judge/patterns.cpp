// What several patterns need.

#include "judge/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kata::patterns {

bool holds(const Wrong& wrong, std::int64_t element, double other) {
  const auto i = static_cast<std::size_t>(element);
  const Type type = wrong.tensor.type;
  const double rounded = is_float(type) ? rounding(type, other) : 0;  // coarse in half and bf16
  return std::fabs(wrong.got[i] - other) <=
         wrong.expected.tolerance_of(i) + 1e-6 * std::fabs(other) + rounded;
}

bool accounts_for(const Wrong& wrong, std::int64_t element, double other) {
  const double error = std::fabs(got(wrong, element) - want(wrong, element));
  return holds(wrong, element, other) && std::fabs(got(wrong, element) - other) <= 0.1 * error;
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
  return work(wrong.problem.cost(wrong.one_case.shape)) < 3e7;
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
  // By its own tolerance, too: beside a right value of 1e37, 0 and 4.9 are the same.
  constexpr double slack = 8, never = std::numeric_limits<double>::infinity();
  const auto value = [&](std::int64_t element) {
    const auto i = static_cast<std::size_t>(element);
    const bool fits = error_of(other, i, wrong.got[i]) <= slack * other.tolerance_of(i);
    return fits ? other.value[i] : never;
  };
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
  const std::string which = single(wrong) ? wrong.tensor.name + " is what it would be"
                                          : "the wrong elements are what they would be";
  return fmt::format("{} {}: {}", which, what, example(wrong, wrong.bad.front()));
}

std::string size_name(const Problem& problem, std::size_t i) {
  return problem.signature.integers[i].name;
}

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

}  // namespace kata::patterns
