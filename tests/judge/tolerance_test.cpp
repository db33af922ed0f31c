// What a tolerance must not let pass: forgotten elements. `kata test <operator>` checks the same of
// zeros and of numbers with fewer bits. The derivation of the tolerances is in docs/judge.md.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "judge/judge.h"

using namespace kata;

namespace {

constexpr std::uint64_t seeds = 5;

/// A case with its inputs and what is expected of it.
struct Drawn {
  const Problem& problem;
  Case one_case;
  Inputs inputs;
  Expected expected;

  Drawn(const Problem& problem_, const Case& one_case_, std::uint64_t seed)
      : problem(problem_),
        one_case(one_case_),
        inputs(make_inputs(problem_, one_case, seed)),
        expected(expected_outputs(problem_, inputs, one_case)[0]) {}

  /// The judge's rule.
  bool accepts(const std::vector<double>& got) const {
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double error = std::fabs(static_cast<float>(got[i]) - expected.value[i]);
      if (!(error <= expected.tolerance_of(i))) return false;
    }
    return true;
  }
  std::vector<double> of(const Inputs& other) const {
    return expected_outputs(problem, other, one_case)[0].value;
  }
};

/// A forgotten term of a sum is a zero, one of a maximum is less than all others.
const std::map<std::string, float> identities{
    {"reduce_sum", 0.0f},
    {"sgemv", 0.0f},
    {"sgemm", 0.0f},
    {"reduce_max", -std::numeric_limits<float>::infinity()}};

/// The output of a kernel that forgets one element of its first input.
std::vector<double> without(std::size_t element, const Drawn& drawn) {
  const Problem& problem = drawn.problem;
  if (const auto identity = identities.find(problem.name); identity != identities.end()) {
    Inputs inputs = drawn.inputs;
    inputs[0].set(element, identity->second);
    return drawn.of(inputs);
  }
  std::vector<double> output = drawn.expected.value;  // a softmax: forgotten in its row's sum
  const auto cols = static_cast<std::size_t>(drawn.one_case.shape.back());
  const std::size_t row = element / cols * cols;
  const double left = 1 - output[element];
  for (std::size_t i = row; i < row + cols; ++i) output[i] /= left;
  return output;
}

void check_forgotten_shows(const Problem& problem, const Case& one_case) {
  CAPTURE(problem.name);
  CAPTURE(name_of(problem, one_case));
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    const Drawn drawn(problem, one_case, seed);
    CHECK(drawn.accepts(drawn.expected.value));
    const std::size_t last = drawn.inputs[0].size() - 1;
    CHECK_FALSE(drawn.accepts(without(last, drawn)));
    if (problem.name == "reduce_max") continue;  // of the others nothing depends on it
    CHECK_FALSE(drawn.accepts(without(0, drawn)));
    CHECK_FALSE(drawn.accepts(without(last / 2, drawn)));
  }
}

}  // namespace

TEST_CASE("one element that is forgotten shows in the emulator's largest case of each reduction") {
  for (const char* name :
       {"reduce_sum", "reduce_max", "sgemv", "sgemm", "softmax", "softmax_rows"}) {
    const Problem& problem = *find_problem(name);
    check_forgotten_shows(problem, largest(problem, problem.cases));
  }
}

TEST_CASE("one element in millions that is forgotten shows on a GPU, in sums and in maxima") {
  for (const char* name : {"reduce_sum", "sgemv", "reduce_max"}) {
    const Problem& problem = *find_problem(name);
    check_forgotten_shows(problem, largest(problem, problem.large_cases));
  }
}
