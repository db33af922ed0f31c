// `kata test <operator>` for every operator that there is: a few candidates of each in the quick
// tier, all of them in the slow one.
#include <doctest/doctest.h>

#include "contribute/operator_test.h"

using namespace kata;

namespace {

void check_operator(const Problem& problem, TestScope scope) {
  for (const OperatorCheck& check : test_operator(problem, scope, [](const std::string&) {})) {
    const bool wrong = check.state == OperatorCheck::State::wrong;
    const bool not_measured = check.state == OperatorCheck::State::not_measured;
    if (not_measured) MESSAGE(problem.name << ": " << check.name << " " << check.summary);
    for (const std::string& detail : check.details) {
      if (wrong) FAIL_CHECK(problem.name << ": " << check.name << ": " << detail);
    }
    CHECK_FALSE(wrong);
  }
}

// build/test_operators --subcase=relu tests one operator.
void check_every_operator(TestScope scope) {
  REQUIRE_FALSE(problems().empty());
  for (const Problem& problem : problems()) {
    SUBCASE(problem.name.c_str()) {
      check_operator(problem, scope);
    }
  }
}

}  // namespace

TEST_CASE("no operator's test fails on a rung, and on an unusual kernel or a fault") {
  check_every_operator(TestScope::quick);
}

TEST_CASE("no operator's test fails" * doctest::test_suite("slow")) {
  check_every_operator(TestScope::all);
}
