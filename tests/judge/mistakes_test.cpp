// The formulas that a problem names as mistakes are rejected, and the explanation names them.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "judge/explain.h"
#include "judge/judge.h"
#include "judge/poison.h"

using namespace kata;

namespace {

/// The explanation of a kernel that computes `mistake`; empty if it passes.
std::string explained(const Problem& problem, const Case& one_case, const Mistake& mistake) {
  const Inputs inputs = make_inputs(problem, one_case, 7);
  const Outputs outputs = expected_outputs(problem, inputs, one_case);
  Case complete = one_case;
  complete.reals = arguments_of(problem, one_case).reals;
  const Outputs mistaken = mistake.reference(inputs, complete);
  std::vector<Array> arrays;
  for (std::size_t k = 0; k < mistaken.size(); ++k) {
    Array& got = arrays.emplace_back(problem.signature.outputs[k].type, mistaken[k].value.size());
    for (std::size_t i = 0; i < got.size(); ++i) got.set(i, mistaken[k].value[i]);
  }
  return compare(problem, one_case, inputs, outputs, arrays,
                 find_unwritten(problem, outputs, arrays))
      .explanation;
}

}  // namespace

TEST_CASE("each mistake that a problem names is rejected by some case and explained by its name") {
  std::size_t mistakes = 0;  // a list that nothing reads would pass
  for (const Problem& problem : problems()) {
    for (const Mistake& mistake : problem.mistakes) {
      ++mistakes;
      CAPTURE(problem.name);
      CAPTURE(mistake.what);
      CHECK(std::any_of(problem.cases.begin(), problem.cases.end(), [&](const Case& one_case) {
        return explained(problem, one_case, mistake).find(mistake.what) != std::string::npos;
      }));
    }
  }
  CHECK(mistakes > 20);
}
