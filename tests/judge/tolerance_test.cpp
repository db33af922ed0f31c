// What a tolerance must not let pass: numbers of fewer bits, forgotten elements, zeros. That it
// lets every right kernel pass is tests/accepted's; the derivation is in docs/judge.md.

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "judge/judge.h"
#include "judge/poison.h"

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

/// A wrong output of a case.
using Wrong = std::function<std::vector<double>(const Drawn&)>;

/// Whether some case tells the wrong output from the right one, as a verdict needs.
bool rejected(const Problem& problem, std::uint64_t seed, const Wrong& wrong) {
  return std::any_of(problem.cases.begin(), problem.cases.end(), [&](const Case& one_case) {
    const Drawn drawn(problem, one_case, seed);
    return !drawn.accepts(wrong(drawn));
  });
}

void check_rejected(const Wrong& wrong) {
  REQUIRE_FALSE(problems().empty());
  for (const Problem& problem : problems()) {
    CAPTURE(problem.name);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      CAPTURE(seed);
      CHECK(rejected(problem, seed, wrong));
    }
  }
}

/// To the nearest number of that many significant bits: half and TF32 have 11, bfloat16 has 8.
double narrowed(double value, int bits) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, bits)), exponent - bits);
}

constexpr int half_bits = 11;

/// The terms of a sum are forgotten as zeros, those of a maximum as nothing.
std::optional<float> forgotten_as(const std::string& operator_name) {
  const std::map<std::string, float> identities{
      {"reduce_sum", 0.0f},
      {"sgemv", 0.0f},
      {"sgemm", 0.0f},
      {"reduce_max", -std::numeric_limits<float>::infinity()}};
  const auto found = identities.find(operator_name);
  return found == identities.end() ? std::nullopt : std::optional(found->second);
}

/// The output of a kernel that forgets one element of its first input.
std::vector<double> without(std::size_t element, const Drawn& drawn) {
  const Problem& problem = drawn.problem;
  if (const std::optional<float> identity = forgotten_as(problem.name)) {
    Inputs inputs = drawn.inputs;
    inputs[0].set(element, *identity);
    return drawn.of(inputs);
  }
  std::vector<double> output = drawn.expected.value;
  if (problem.name == "softmax" || problem.name == "softmax_rows") {  // forgotten in its row's sum
    const auto cols = static_cast<std::size_t>(drawn.one_case.shape.back());
    const std::size_t row = element / cols * cols;
    const double left = 1 - output[element];
    for (std::size_t i = row; i < row + cols; ++i) output[i] /= left;
  } else {
    output[element] = std::bit_cast<float>(poison_bits);
  }
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

TEST_CASE("an output of zeros is rejected, and one computed from zeros") {
  check_rejected(
      [](const Drawn& drawn) { return std::vector<double>(drawn.expected.value.size(), 0.0); });
  check_rejected([](const Drawn& drawn) {
    Inputs zeros = drawn.inputs;
    for (Array& tensor : zeros) tensor = Array(tensor.type(), tensor.size());
    return drawn.of(zeros);
  });
}

TEST_CASE("inputs of half precision are rejected, and so are outputs of it") {
  check_rejected([](const Drawn& drawn) {
    Inputs halves = drawn.inputs;
    for (Array& tensor : halves) {
      for (float& value : tensor.as<float>()) {
        value = static_cast<float>(narrowed(value, half_bits));
      }
    }
    return drawn.of(halves);
  });
  check_rejected([](const Drawn& drawn) {
    std::vector<double> halves = drawn.expected.value;
    for (double& value : halves) value = narrowed(value, half_bits);
    return halves;
  });
}

TEST_CASE("one element that is forgotten shows in the emulator's largest case of each operator") {
  REQUIRE_FALSE(problems().empty());
  for (const Problem& problem : problems()) {
    check_forgotten_shows(problem, largest(problem, problem.cases));
  }
}

TEST_CASE("one element in millions that is forgotten shows on a GPU, in sums and in maxima") {
  for (const char* name : {"reduce_sum", "sgemv", "reduce_max"}) {
    const Problem& problem = *find_problem(name);
    check_forgotten_shows(problem, largest(problem, problem.large_cases));
  }
}
