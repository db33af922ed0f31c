#pragma once
// One fault planted in a right output, and what a person would be told.

#include <doctest/doctest.h>

#include <bit>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "judge/explain.h"
#include "judge/judge.h"

namespace kata::test {

inline const float unwritten = std::bit_cast<float>(poison_bits);

struct Planted {
  const Problem& problem;
  Case one_case;
  Inputs inputs;
  Expected expected;
  std::vector<float> got;

  Planted(const char* operator_name, Case what, std::uint64_t seed = 7)
      : problem(*find_problem(operator_name)),
        one_case(std::move(what)),
        inputs(make_inputs(problem, one_case, seed)),
        expected(problem.reference(inputs, one_case.shape)) {
    for (double value : expected.value) got.push_back(static_cast<float>(value));
  }
  CaseResult result() const { return compare(problem, one_case, expected, got, inputs); }
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
