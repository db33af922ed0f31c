// What inputs hold at the largest sizes, where few elements are drawn and repeated.

#include <algorithm>
#include <cmath>

#include "judge/judge.h"
#include "judge/large_cases.h"
#include "judge/shapes.h"

namespace kata {
namespace {

/// Enough for no two pages of a file to be the same (a prime number of elements).
constexpr std::size_t most_drawn = 65537;

/// The same sizes where they are small, and others cut down until so few elements are drawn.
Shape shape_to_draw(const Problem& problem, const Parameter& tensor, Shape shape) {
  for (int most = most_drawn; elements(tensor, shape) > most_drawn; most -= most / 4) {
    for (int& size : shape) size = std::min(size, most | 1);
    shape = legal(problem, shape);
  }
  return shape;
}

/// Elements that were drawn for other sizes, as they meet where inputs are repeated.
Inputs inputs_of_other_sizes(const Problem& problem, const Case& one, const Shape& other) {
  Inputs inputs;
  for (const Parameter& tensor : problem.signature.inputs) {
    const bool is_range = tensor.type == Type::i32;
    const Array drawn = values_to_repeat(
        problem, tensor, {is_range ? one.shape : other, one.values, one.reals}, Random(1));
    Array& x = inputs.emplace_back(tensor.type, elements(tensor, one.shape));
    for (std::size_t i = 0; i < x.size(); ++i) x.set(i, drawn[i % drawn.size()]);
  }
  return inputs;
}

/// Whether outputs are not numbers where inputs were drawn for other sizes.
bool breaks_at_other_sizes(const Problem& problem) {
  constexpr int least = 5, sizes_apart = 3;
  Shape shape, other;
  for (int i = 0; i < static_cast<int>(problem.signature.integers.size()); ++i) {
    shape.push_back(least + i % sizes_apart);
    other.push_back(shape.back() + 1);
  }
  const Case one{legal(problem, shape)};
  const Inputs inputs = inputs_of_other_sizes(problem, one, legal(problem, other));
  for (const Expected& output : expected_outputs(problem, inputs, one))
    if (std::ranges::any_of(output.value, [](double value) { return std::isnan(value); }))
      return true;
  return false;
}

}  // namespace

bool has_structure(const Problem& problem) {
  const std::vector<Parameter>& inputs = problem.signature.inputs;
  const auto has_order = [](const Parameter& tensor) {
    return tensor.type == Type::i32 && !tensor.draw;
  };
  const auto has_rule = [](const Parameter& tensor) { return static_cast<bool>(tensor.draw); };
  if (problem.arrange && std::ranges::any_of(inputs, has_order)) return true;
  return (problem.arrange || std::ranges::any_of(inputs, has_rule)) &&
         breaks_at_other_sizes(problem);
}

Array values_to_repeat(const Problem& problem, const Parameter& tensor, const Case& one_case,
                       const Random& random) {
  Case drawn{one_case.shape, one_case.values, arguments_of(problem, one_case).reals};
  // Rules for integers are about their range, others about rows.
  const bool is_of_rows = tensor.draw && tensor.type != Type::i32;
  if (is_of_rows) drawn.shape = shape_to_draw(problem, tensor, drawn.shape);
  Array values(tensor.type, std::min(most_drawn, elements(tensor, drawn.shape)));
  (tensor.draw ? tensor.draw : draw::as_the_case_says())(values, drawn, random);
  return values;
}

}  // namespace kata
