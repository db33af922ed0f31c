#pragma once
// What `kata test <operator>` checks of one operator, and what it reports as missing.

#include <functional>
#include <string>
#include <vector>

#include "problems/spec/problem.h"

namespace kata {

/// One line of the result.
struct OperatorCheck {
  enum class State {
    right,
    wrong,         ///< the operator's test fails
    missing,       ///< worth adding; the test passes without it
    not_measured,  ///< needs a GPU; the test passes without it
  };
  std::string name;  ///< "rungs"
  State state = State::right;
  std::string summary;                    ///< "5 are right in all cases"
  std::vector<std::string> details = {};  ///< one line each
};

enum class TestScope {
  quick,  ///< one of the candidates; about 3 s of processor time
  all,
};

/// Runs on the emulator with seed 1, candidates in parallel. Calls `progress` with the name of what
/// runs now, from any thread.
std::vector<OperatorCheck> test_operator(const Problem& problem, TestScope scope,
                                         const std::function<void(const std::string&)>& progress);

/// Whether nothing is wrong.
bool passes(const std::vector<OperatorCheck>& checks);

}  // namespace kata
