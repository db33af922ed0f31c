#include "judge/shapes.h"

#include <algorithm>
#include <iterator>

namespace kata {

double price(const Problem& problem, const Shape& shape) {
  constexpr double of_an_input = 20, of_an_output = 30, of_a_row = 64;
  double sum = problem.cost(shape).operations;
  for (const Parameter& tensor : problem.signature.inputs)
    sum += of_an_input * static_cast<double>(elements(tensor, shape));
  for (const Parameter& tensor : problem.signature.outputs)
    sum += of_an_output * static_cast<double>(elements(tensor, shape));
  std::int64_t rows = 0;
  for (const Parameter& tensor : problem.signature.tensors) {
    const Dims dims = tensor.dims(shape);
    if (dims.size() > 1)
      rows = std::max(rows, count(dims) / std::max<std::int64_t>(1, dims.back()));
  }
  return sum + of_a_row * static_cast<double>(rows);
}

Shape legal(const Problem& problem, Shape shape) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Parameter& size = problem.signature.integers[i];
    shape[i] = std::clamp(shape[i], size.least, size.most);
  }
  return problem.limits.nearest ? problem.limits.nearest(std::move(shape)) : shape;
}

Shape even_shape(const Problem& problem, double limit) {
  Shape shape;
  for (int power = 1 << 22; power > 1; power /= 2) {
    shape.clear();
    for (const Parameter& size : problem.signature.integers)
      shape.push_back(is_window(size) ? size.least : power);
    shape = legal(problem, shape);
    if (is_promised(problem, shape) && price(problem, shape) <= limit) break;
  }
  return shape;
}

std::size_t grows_with(const Problem& problem, std::size_t i, const Shape& others) {
  const int large = std::min(problem.signature.integers[i].most, 1024);
  for (std::size_t n = 0; n < others.size(); ++n) {
    const std::size_t with = (i + n) % others.size();
    Shape shape = others;
    shape[i] = shape[with] = large;
    if (legal(problem, shape)[i] == large) return with;
  }
  return i;
}

Shape small_shape(const Problem& problem, std::size_t number) {
  constexpr int sizes[] = {1, 5, 17, 3};
  Shape shape(problem.signature.integers.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Parameter& size = problem.signature.integers[i];
    const bool is_switch = size.least == 0 && size.most == 1;
    shape[i] = is_switch ? static_cast<int>(number % 2) : sizes[(number + i) % std::size(sizes)];
  }
  return shape;
}

std::vector<Values> values_of(const Problem& problem) {
  constexpr Values any_size[] = {Values::whole_numbers, Values::largest_last, Values::few_distinct,
                                 Values::sorted, Values::descending};
  std::vector<Values> values;
  for (Values one : any_size) {
    if (std::ranges::find(problem.cases, one, &Case::values) == problem.cases.end()) continue;
    values.push_back(one);
    if (one == Values::few_distinct) values.push_back(Values::steps);
  }
  values.push_back(Values::normal);
  return values;
}

bool is_window(const Parameter& size) {
  return size.most < 64;
}

}  // namespace kata
