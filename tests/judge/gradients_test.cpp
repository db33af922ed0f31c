// The references of backward operators against central differences of the forward operators'.

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "judge/judge.h"
#include "problems/spec/problem.h"

using namespace kata;

namespace {

/// Multiples of 2^-10 in about [-3, 3], so that a step of 2^-10 is exact in float.
Array drawn(std::size_t size, std::uint64_t seed) {
  const Random random(seed);
  Array values(Type::f32, size);
  for (std::size_t i = 0; i < size; ++i) {
    values.set(i, std::round(random.normal(i) * 1024) / 1024);
  }
  return values;
}

struct Forward {
  const Problem& problem;
  Case one_case;
  Inputs inputs;

  std::vector<double> output() const { return problem.reference(inputs, one_case)[0].value; }
};

/// The gradient by input `of` of the loss sum of weight * output.
std::vector<double> differences(Forward forward, std::size_t of, const Array& weight) {
  const double step = std::ldexp(1.0, -10);
  const auto loss_at = [&](std::size_t i, double value) {
    forward.inputs[of].set(i, value);
    const std::vector<double> output = forward.output();
    double loss = 0;
    for (std::size_t k = 0; k < output.size(); ++k) loss += weight[k] * output[k];
    return loss;
  };
  std::vector<double> gradient(forward.inputs[of].size());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double value = forward.inputs[of][i];
    gradient[i] = (loss_at(i, value + step) - loss_at(i, value - step)) / (2 * step);
    forward.inputs[of].set(i, value);
  }
  return gradient;
}

void check_close(const std::vector<double>& value, const std::vector<double>& gradient) {
  REQUIRE(value.size() == gradient.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(value[i] - gradient[i]) < 2e-5 * (1 + std::abs(gradient[i])));
  }
}

}  // namespace

TEST_CASE("softmax_backward is the gradient of softmax_rows") {
  const Case one_case{{3, 5}};
  const Forward forward{*find_problem("softmax_rows"), one_case, {drawn(15, 1)}};
  const Array dy = drawn(15, 2);
  Array y(Type::f32, 15);
  const std::vector<double> output = forward.output();
  for (std::size_t i = 0; i < y.size(); ++i) y.set(i, output[i]);

  const Outputs backward = find_problem("softmax_backward")->reference({y, dy}, one_case);
  check_close(backward[0].value, differences(forward, 0, dy));
}

TEST_CASE("layernorm_backward is the gradient of layernorm by x, gamma and beta") {
  const Case one_case{.shape = {4, 6}, .reals = {0.5f}};
  const Forward forward{
      *find_problem("layernorm"), one_case, {drawn(24, 1), drawn(6, 2), drawn(6, 3)}};
  const Array dy = drawn(24, 4);

  const Outputs backward = find_problem("layernorm_backward")
                               ->reference({forward.inputs[0], forward.inputs[1], dy}, one_case);
  check_close(backward[0].value, differences(forward, 0, dy));
  check_close(backward[1].value, differences(forward, 1, dy));
  check_close(backward[2].value, differences(forward, 2, dy));
}

// In half the step is exact below 2. dO . O of the rounded O is within the operator's tolerance.
TEST_CASE("flash_attention_backward is the gradient of flash_attention by Q, K and V") {
  const Problem& problem = *find_problem("flash_attention_backward");
  for (const int causal : {0, 1}) {
    const Case one_case{{1, 1, 3, 64, causal}};
    Inputs inputs = make_inputs(problem, one_case, 1);
    for (std::size_t of = 0; of < 3; ++of) {
      const Array values = drawn(inputs[of].size(), of);
      for (std::size_t i = 0; i < values.size(); ++i)
        inputs[of].set(i, std::round(values[i] * 512) / 1024);
    }
    problem.arrange(inputs, one_case, Random(1));
    const Outputs backward = problem.reference(inputs, one_case);
    const Forward forward{
        *find_problem("flash_attention"), one_case, {inputs.begin(), inputs.begin() + 3}};
    for (std::size_t of = 0; of < 3; ++of) {
      const std::vector<double> gradient = differences(forward, of, inputs[4]);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        CAPTURE(i);
        CHECK(std::abs(backward[of].value[i] - gradient[i]) < backward[of].tolerance[i]);
      }
    }
  }
}
