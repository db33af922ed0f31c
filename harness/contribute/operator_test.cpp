#include "contribute/operator_test.h"

#include <algorithm>

#include "contribute/checks.h"

namespace kata {

using namespace contribute;

std::vector<OperatorCheck> test_operator(const Problem& problem, TestScope scope,
                                         const std::function<void(const std::string&)>& progress) {
  std::vector<OperatorCheck> checks = {check_todos(problem), check_stub(problem),
                                       check_readme(problem), check_ranges(problem)};
  const OperatorCheck tables = check_faults_file(problem);
  if (tables.state == OperatorCheck::State::wrong) checks.push_back(tables);
  // Texts take no time: what is wrong with them is said before any kernel is judged.
  if (!passes(checks)) return checks;

  checks.push_back(check_tolerance(problem, scope));
  // In the quick scope half of the operators have their last rung judged, of the others each an
  // unusual kernel or a fault.
  const std::size_t letters = problem.name.size();
  const bool is_quick = scope == TestScope::quick;
  if (!is_quick || letters % 2 == 0) checks.push_back(check_rungs(problem, scope, progress));
  if (!is_quick || letters % 4 == 1) checks.push_back(check_accepted(problem, scope, progress));
  if (!is_quick || letters % 4 == 3) checks.push_back(check_faults(problem, scope, progress));
  checks.insert(checks.end(), {check_times(problem), check_profiles(problem),
                               check_assembly(problem), check_gpu_verdicts(problem)});
  // The emulator's compiler accepts some code that nvcc does not. nvcc takes seconds for a file.
  if (scope == TestScope::all) checks.push_back(check_nvcc(problem, progress));
  return checks;
}

bool passes(const std::vector<OperatorCheck>& checks) {
  return std::none_of(checks.begin(), checks.end(), [](const OperatorCheck& check) {
    return check.state == OperatorCheck::State::wrong;
  });
}

OperatorCheck contribute::check_of(const std::string& name, const std::string& summary,
                                   std::vector<std::string> details) {
  const auto state = details.empty() ? OperatorCheck::State::right : OperatorCheck::State::wrong;
  return {name, state, summary, std::move(details)};
}

}  // namespace kata
