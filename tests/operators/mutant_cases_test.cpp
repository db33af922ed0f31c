// Which cases reject the kernels with a planted fault: the table in docs/measured/judge.md.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace fs = std::filesystem;
using kata::test::Json;
using kata::test::Outcome;

namespace {

const fs::path folder = fs::path(KATA_SOURCE_DIR) / "tests" / "mutants";

/// "relu/half.cu"
std::vector<std::string> mutants() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".cu") files.push_back(fs::relative(entry.path(), folder));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string operator_of(const std::string& file) {
  return file.substr(0, file.find('/'));
}

/// As many at a time as there are processors.
std::map<std::string, Outcome> checked() {
  const std::vector<std::string> files = mutants();
  std::vector<Outcome> outcomes(files.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < files.size();) {
      outcomes[i] =
          kata::test::check(folder / files[i], {"--seed", "1", "--no-ladder", "--all-cases"});
    }
  };
  std::vector<std::thread> workers(std::max(1u, std::thread::hardware_concurrency()));
  for (std::thread& worker : workers) worker = std::thread(work);
  for (std::thread& worker : workers) worker.join();
  std::map<std::string, Outcome> by_file;
  for (std::size_t i = 0; i < files.size(); ++i) by_file.emplace(files[i], std::move(outcomes[i]));
  return by_file;
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

}  // namespace

// For docs/measured/judge.md: build/test_operators --no-skip -tc='the cases*'
TEST_CASE("the cases: how many mutants each rejects, and which no other does" * doctest::skip()) {
  std::map<std::string, std::set<std::string>> cases;  // by operator
  const auto outcomes = checked();
  for (const auto& [file, outcome] : outcomes) {
    REQUIRE_FALSE(outcome.report.is_discarded());
    for (const Json& one : outcome.report["cases"]) cases[operator_of(file)].insert(one["name"]);
  }
  for (const auto& [name, names] : cases) {
    for (const std::string& one : names) {
      int rejected = 0;
      std::vector<std::string> alone;
      for (const auto& [file, outcome] : outcomes) {
        if (operator_of(file) != name) continue;
        const auto rejecting = rejecting_cases(outcome.report, names);
        rejected += static_cast<int>(rejecting.count(one));
        if (rejecting == std::set{one}) alone.push_back(file);
      }
      fmt::print("{:13}{:28}{:4}  {}\n", name, one, rejected, fmt::join(alone, " "));
      CHECK(rejected > 0);
    }
  }
}
