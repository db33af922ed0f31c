// Which cases reject the planted faults: the table in docs/measured/judge.md.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "check.h"
#include "contribute/planted.h"
#include "problems/spec/problem.h"
#include "support/parallel.h"
#include "support/temporary_folder.h"

namespace fs = std::filesystem;
using kata::test::Json;
using kata::test::Outcome;

namespace {

/// All of the operator's faults, written to `scratch`.
std::vector<fs::path> mutants_of(const std::string& operator_name, const fs::path& scratch) {
  const auto faults = kata::faults::read_faults(operator_name);
  REQUIRE(faults);
  const auto planted = kata::contribute::write_faults(*faults, scratch);
  REQUIRE(planted);
  return *planted;
}

/// As many at a time as there are processors.
std::vector<Outcome> checked(const std::vector<fs::path>& files) {
  std::vector<Outcome> outcomes(files.size());
  kata::in_parallel(files.size(), [&](std::size_t i) {
    outcomes[i] = kata::test::check(files[i], {"--seed", "1", "--no-ladder", "--all-cases"});
  });
  return outcomes;
}

/// Which cases reject a mutant. Behind one that broke the device none can be tried: they count,
/// since they might.
std::set<std::string> rejecting_cases(const Json& report, const std::set<std::string>& all) {
  std::set<std::string> rejecting = all;
  for (const Json& one : report["cases"]) {
    if (one["verdict"] == "pass") rejecting.erase(one["name"]);
  }
  return rejecting;
}

void print_cases(const std::string& operator_name) {
  const kata::TemporaryFolder scratch;
  const std::vector<fs::path> files = mutants_of(operator_name, scratch.path());
  const std::vector<Outcome> outcomes = checked(files);
  const kata::Problem& problem = *kata::find_problem(operator_name);
  std::set<std::string> cases;  // of the problem: those beyond a grid's limit run only if all pass
  for (const kata::Case& one : problem.cases) cases.insert(kata::name_of(problem, one));
  for (const std::string& one : cases) {
    int rejected = 0;
    std::vector<std::string> alone;
    for (std::size_t i = 0; i < files.size(); ++i) {
      REQUIRE_FALSE(outcomes[i].report.is_discarded());
      const auto rejecting = rejecting_cases(outcomes[i].report, cases);
      rejected += static_cast<int>(rejecting.count(one));
      if (rejecting == std::set{one}) alone.push_back(files[i].filename());
    }
    fmt::print("{:13}{:28}{:4}  {}\n", operator_name, one, rejected, fmt::join(alone, " "));
    CHECK(rejected > 0);
  }
}

}  // namespace

// For docs/measured/judge.md: build/test_operators --no-skip -tc='the cases*'
// With --subcase=relu for one operator.
TEST_CASE("the cases: how many mutants each rejects, and which no other does" * doctest::skip()) {
  for (const kata::Problem& problem : kata::problems()) {
    SUBCASE(problem.name.c_str()) {
      print_cases(problem.name);
    }
  }
}
