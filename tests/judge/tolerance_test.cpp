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

/// attention as a kernel computes it that folds the sum into the exponent. The compiler has
/// contracted the product by the scale with the difference where the weights are computed, but not
/// where their sum is.
std::vector<float> folded_attention(const Drawn& drawn) {
  const std::size_t M = drawn.one_case.shape[0], N = drawn.one_case.shape[1];
  const std::size_t d = drawn.one_case.shape[2];
  const std::span<const float> Q = drawn.inputs[0].as<float>(), K = drawn.inputs[1].as<float>();
  const std::span<const float> V = drawn.inputs[2].as<float>();
  const float scale = 1 / std::sqrt(static_cast<float>(d));
  std::vector<float> O(M * d), scores(N);
  for (std::size_t row = 0; row < M; ++row) {
    float max = -INFINITY, sum = 0;
    for (std::size_t j = 0; j < N; ++j) {
      scores[j] = 0;
      for (std::size_t c = 0; c < d; ++c)
        scores[j] = std::fma(Q[row * d + c], K[j * d + c], scores[j]);
      scores[j] *= 1.44269504f;
      max = std::max(max, scores[j] * scale);
    }
    for (float score : scores) {
      const float scaled = score * scale;
      sum += std::exp2(scaled - max);
    }
    const float logarithm = max + std::log2(sum);
    for (std::size_t j = 0; j < N; ++j) {
      const float weight = std::exp2(std::fma(scores[j], scale, -logarithm));
      for (std::size_t c = 0; c < d; ++c)
        O[row * d + c] = std::fma(weight, V[j * d + c], O[row * d + c]);
    }
  }
  return O;
}

/// attention by the online rule, key by key, with an exponential that is always two units too
/// small.
std::vector<float> online_attention(const Drawn& drawn) {
  const std::size_t M = drawn.one_case.shape[0], N = drawn.one_case.shape[1];
  const std::size_t d = drawn.one_case.shape[2];
  const std::span<const float> Q = drawn.inputs[0].as<float>(), K = drawn.inputs[1].as<float>();
  const std::span<const float> V = drawn.inputs[2].as<float>();
  const auto exponential = [](float x) {
    return x == 0 ? 1 : std::nextafter(std::nextafter(std::exp(x), 0.0f), 0.0f);
  };
  std::vector<float> O(M * d);
  for (std::size_t row = 0; row < M; ++row) {
    float* const out = &O[row * d];
    float max = -1e38f, sum = 0;
    for (std::size_t j = 0; j < N; ++j) {
      float score = 0;
      for (std::size_t c = 0; c < d; ++c) score = std::fma(Q[row * d + c], K[j * d + c], score);
      score /= std::sqrt(static_cast<float>(d));
      const float new_max = std::max(max, score);
      const float rescale = exponential(max - new_max), weight = exponential(score - new_max);
      sum = std::fma(sum, rescale, weight);
      for (std::size_t c = 0; c < d; ++c) out[c] = std::fma(weight, V[j * d + c], out[c] * rescale);
      max = new_max;
    }
    for (std::size_t c = 0; c < d; ++c) out[c] /= sum;
  }
  return O;
}

}  // namespace

TEST_CASE("a right attention kernel passes, however its exponent is scaled and contracted") {
  const Problem& problem = *find_problem("attention");
  for (std::vector<float> (*kernel)(const Drawn&) : {folded_attention, online_attention}) {
    for (const Case& one_case : problem.cases) {
      CAPTURE(name_of(problem, one_case));
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Drawn drawn(problem, one_case, seed);
        const std::vector<float> got = kernel(drawn);
        CHECK(drawn.accepts({got.begin(), got.end()}));
      }
    }
  }
}

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

TEST_CASE("a softmax of millions of elements whose sum lacks a 40th of them is wrong") {
  const Drawn drawn(*find_problem("softmax"), {{(1 << 22) + 1}, Values::normal}, 1);
  std::vector<double> got = drawn.expected.value;
  CHECK(drawn.accepts(got));
  for (double& value : got) value *= 40.0 / 39;
  CHECK_FALSE(drawn.accepts(got));
}

TEST_CASE("a scan of more elements than a float counts still has a tolerance") {
  const Drawn drawn(*find_problem("scan"), {{(1 << 24) + 1026}, Values::whole_numbers}, 1);
  CHECK(drawn.accepts(drawn.expected.value));
}
