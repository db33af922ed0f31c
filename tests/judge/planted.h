#pragma once
// One fault planted in a right output, and the explanation that kata gives.

#include <doctest/doctest.h>

#include <bit>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "judge/explain.h"
#include "judge/judge.h"
#include "judge/poison.h"

namespace kata::test {

inline const float unwritten = std::bit_cast<float>(poison_bits);

/// One output of floats, the only one of its operator.
struct Planted {
  const Problem& problem;
  Case one_case;
  Inputs inputs;
  Outputs outputs;
  std::vector<float> got;

  Planted(const char* operator_name, Case what, std::uint64_t seed = 7)
      : problem(*find_problem(operator_name)),
        one_case(std::move(what)),
        inputs(make_inputs(problem, one_case, seed)),
        outputs(expected_outputs(problem, inputs, one_case)) {
    for (double value : expected().value) got.push_back(static_cast<float>(value));
  }
  const Expected& expected() const { return outputs[0]; }
  std::span<const float> input(std::size_t k) const { return inputs[k].as<float>(); }
  CaseResult result() const {
    const std::vector<Array> arrays{Array(got)};
    return compare(problem, one_case, inputs, outputs, arrays,
                   find_unwritten(problem, outputs, arrays));
  }
};

/// The explanation of a right output in which `fault` was planted.
inline std::string explained(
    const char* operator_name, const Case& one_case,
    const std::function<void(std::vector<float>& got, const Planted&)>& fault) {
  Planted planted(operator_name, one_case);
  REQUIRE(planted.result().verdict == Verdict::pass);
  const Planted right = planted;
  fault(planted.got, right);
  const CaseResult result = planted.result();
  REQUIRE(result.verdict == Verdict::fail);
  return result.explanation;
}

inline void check_says(const std::string& sentence, std::vector<std::string> parts) {
  CAPTURE(sentence);
  CHECK(sentence.find('\n') == std::string::npos);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(sentence.find(part) != std::string::npos);
  }
}

}  // namespace kata::test
