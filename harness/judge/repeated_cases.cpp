#include <algorithm>
#include <numeric>
#include <optional>

#include "judge/judge.h"

namespace kata {
namespace {

/// Elements of all tensors that the host draws, computes and compares in about two seconds.
constexpr std::size_t most_on_host = std::size_t{1} << 27;

/// Elements of all tensors of a pattern: about as many, and an odd number of rows.
constexpr std::size_t pattern_elements = 1 << 18;

/// Bytes of a case that every GPU of interest has.
constexpr std::size_t most_bytes = std::size_t{8} << 30;

constexpr int most_blocks = 65535;  // of kernels that limit gridDim.x like the others

Array stacked(const Array& above, const Array& below) {
  Array both(above.type(), above.size() + below.size());
  std::ranges::copy(below.bytes(), std::ranges::copy(above.bytes(), both.bytes().begin()).out);
  return both;
}

std::vector<double> stacked(std::vector<double> above, const std::vector<double>& below) {
  above.insert(above.end(), below.begin(), below.end());
  return above;
}

Expected stacked(const Expected& above, const Expected& below) {
  return {.value = stacked(above.value, below.value),
          .tolerance = stacked(above.tolerance, below.tolerance),
          .alternative = stacked(above.alternative, below.alternative)};
}

bool are_equal(const Expected& a, const Expected& b) {
  return a.value == b.value && a.tolerance == b.tolerance && a.alternative == b.alternative &&
         a.specified == b.specified;
}

/// The cheapest shape of the problem's cases in which no other size is 1, if there is one: along
/// the only column of a matrix everything repeats.
Shape shape_to_probe(const Problem& problem, std::size_t dimension) {
  Shape best;
  for (const Case& one : problem.cases) {
    const auto other_is_one = [&](std::size_t i) { return i != dimension && one.shape[i] == 1; };
    std::vector<std::size_t> sizes(one.shape.size());
    std::iota(sizes.begin(), sizes.end(), 0);
    if (std::ranges::any_of(sizes, other_is_one)) continue;
    Shape shape = one.shape;
    shape[dimension] = 1;
    if (best.empty() || work(problem.cost(shape)) < work(problem.cost(best))) best = shape;
  }
  return best;
}

/// Rows above, rows below, and all of them.
struct Stack {
  Shape above, below, both;

  bool grows(const Parameter& tensor) const {
    return elements(tensor, above) + elements(tensor, below) == elements(tensor, both);
  }
  bool stays(const Parameter& tensor) const {
    return elements(tensor, above) == elements(tensor, both) &&
           elements(tensor, below) == elements(tensor, both);
  }
};

std::optional<Stack> stack_along(const Problem& problem, std::size_t dimension) {
  const Shape shape = shape_to_probe(problem, dimension);
  if (shape.empty()) return {};
  Stack stack{shape, shape, shape};
  stack.above[dimension] = 5;
  stack.below[dimension] = 2;
  stack.both[dimension] = 7;
  for (const Shape& one : {stack.above, stack.below, stack.both})
    if (!is_legal(problem, one)) return {};
  return stack;
}

}  // namespace

bool has_independent_rows(const Problem& problem, std::size_t dimension) {
  const std::optional<Stack> stack = stack_along(problem, dimension);
  if (!stack) return false;
  const auto grows = [&](const Parameter& tensor) { return stack->grows(tensor); };
  const Signature& signature = problem.signature;
  if (!std::ranges::all_of(signature.outputs, grows)) return false;
  if (std::ranges::none_of(signature.inputs, grows)) return false;
  const Inputs above = make_inputs(problem, {stack->above}, 1);
  Inputs below = make_inputs(problem, {stack->below}, 2), both;
  for (std::size_t i = 0; i < above.size(); ++i) {
    if (grows(signature.inputs[i])) {
      both.push_back(stacked(above[i], below[i]));
    } else if (stack->stays(signature.inputs[i])) {
      both.push_back(below[i] = above[i]);
    } else {
      return false;
    }
  }
  Outputs wanted = expected_outputs(problem, above, {stack->above});
  const Outputs of_below = expected_outputs(problem, below, {stack->below});
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = stacked(wanted[i], of_below[i]);
  return std::ranges::equal(wanted, expected_outputs(problem, both, {stack->both}), are_equal);
}

namespace {

/// Whether each row meets each row of another matrix, as in a product. Kernels tile both, and one
/// of the two has to be mapped to gridDim.y. Rows that are only copied, as those of an embedding,
/// are tiled alone.
bool meets_rows_of_a_matrix(const Problem& problem, std::size_t dimension) {
  const std::optional<Stack> stack = stack_along(problem, dimension);
  const auto is_other_matrix = [&](const Parameter& tensor) {
    return stack->stays(tensor) && tensor.dims(stack->both).size() > 1;
  };
  return stack && problem.cost(stack->both).operations > 0 &&
         std::ranges::any_of(problem.signature.inputs, is_other_matrix);
}

std::size_t all_elements(const Problem& problem, const Shape& shape) {
  std::size_t sum = 0;
  for (const Parameter& tensor : problem.signature.tensors) sum += elements(tensor, shape);
  return sum;
}

bool is_too_large_for_host(const Problem& problem, const Case& one_case) {
  return all_elements(problem, one_case.shape) > most_on_host;
}

std::size_t all_bytes(const Problem& problem, const Shape& shape) {
  std::size_t sum = 0;
  for (const Parameter& tensor : problem.signature.tensors)
    sum += elements(tensor, shape) * size_of(tensor.type);
  return sum;
}

std::optional<RepeatedCase> as_repeated(const Problem& problem, const Case& whole,
                                        std::size_t dimension) {
  RepeatedCase one{whole, whole.shape};
  int& rows = one.pattern.shape[dimension];
  rows = 1;
  if (!is_legal(problem, one.pattern.shape)) return {};
  const std::size_t of_a_row = all_elements(problem, one.pattern.shape);
  rows = static_cast<int>(pattern_elements / of_a_row | 1);
  if (rows >= whole.shape[dimension] || !is_legal(problem, one.pattern.shape)) return {};
  return one;
}

/// Elements or rows that a block computes at most, of kernels that 65535 blocks must not be enough
/// for. A row may take a block or a warp; tiles of rows may be mapped to gridDim.y, which has that
/// limit.
int most_of_a_block(const Problem& problem, const Shape& shape) {
  const auto is_matrix = [&](const Parameter& tensor) { return tensor.dims(shape).size() > 1; };
  constexpr int elements = 1024, rows = 256, rows_of_output = 8;
  if (std::ranges::any_of(problem.signature.outputs, is_matrix)) return rows_of_output;
  return std::ranges::any_of(problem.signature.inputs, is_matrix) ? rows : elements;
}

/// Beyond 65535 blocks in one dimension if the exercise promises that, all others as small as they
/// may be.
Shape wide_shape(const Problem& problem, std::size_t dimension) {
  Shape shape(problem.cases.front().shape.size(), 1);
  shape[dimension] = std::min(most_blocks * most_of_a_block(problem, shape) + 259,
                              problem.signature.integers[dimension].most);
  return problem.limits.nearest ? problem.limits.nearest(shape) : shape;
}

}  // namespace

std::vector<RepeatedCase> repeated_cases(const Problem& problem) {
  std::vector<RepeatedCase> cases;
  for (std::size_t i = 0; i < problem.cases.front().shape.size(); ++i) {
    if (!has_independent_rows(problem, i)) continue;
    std::vector<Case> whole;
    for (const Case& one : problem.large_cases) {
      if (is_too_large_for_host(problem, one) &&
          std::ranges::find(cases, one, &RepeatedCase::whole) == cases.end())
        whole.push_back(one);
    }
    const Shape wide = wide_shape(problem, i);
    const auto covers = [&](const Case& one) { return one.shape[i] >= wide[i]; };
    if (std::ranges::none_of(problem.large_cases, covers) && !meets_rows_of_a_matrix(problem, i))
      whole.push_back({wide});
    for (const Case& one : whole) {
      if (all_bytes(problem, one.shape) > most_bytes) continue;
      if (const auto repeated = as_repeated(problem, one, i)) cases.push_back(*repeated);
    }
  }
  return cases;
}

}  // namespace kata
