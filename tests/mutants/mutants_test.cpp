// Nothing wrong passes: candidates with one planted fault each, whose first line says which.
//
// <operator>/expected.csv has a row for each: the kind and line of the finding that must name the
// fault (or neither), words of the explanation or of that finding's message, and the GPU's verdict:
//   fails    rejected there as well
//   passes   not seen there; the last column says why
//   either   depends on the schedule or on old memory contents; the last column says how
//   (empty)  not measured
// <operator>/h200.csv is what tests/gpu/run_all.sh verdicts saw.

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "scratch.h"

namespace fs = std::filesystem;
using kata::test::contains;
using kata::test::Json;
using kata::test::Outcome;

namespace {

const fs::path folder = fs::path(KATA_SOURCE_DIR) / "tests" / "mutants";

struct Expected {
  std::string kind;
  int line;
  std::string words;
  std::string gpu;
  std::string why;
};

/// Lines of a table without its head, cut at the first `columns` - 1 commas.
std::vector<std::vector<std::string>> rows_of(const fs::path& file, std::size_t columns) {
  std::ifstream stream(file);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream text(line);
    std::vector<std::string> row(columns);
    for (std::size_t i = 0; i < columns; ++i) {
      std::getline(text, row[i], i + 1 < columns ? ',' : '\n');
    }
    rows.push_back(row);
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

/// The operators that have mutants.
std::vector<std::string> operators() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  return names;
}

/// By file: "relu/half.cu"
std::map<std::string, Expected> expected_outcomes() {
  std::map<std::string, Expected> expected;
  for (const std::string& name : operators()) {
    for (const auto& row : rows_of(folder / name / "expected.csv", 6)) {
      const std::string file = name + "/" + row[0];
      CAPTURE(file);
      const int line = row[2].empty() ? 0 : std::stoi(row[2]);
      CHECK(expected.emplace(file, Expected{row[1], line, row[3], row[4], row[5]}).second);
    }
  }
  return expected;
}

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
std::map<std::string, Outcome> checked(bool all_cases) {
  const std::vector<std::string> files = mutants();
  std::vector<Outcome> outcomes(files.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < files.size();) {
      outcomes[i] = kata::test::check(folder / files[i], {"--seed", "1", "--no-ladder"},
                                      {{"KATA_ALL_CASES", all_cases ? "on" : "off"}});
    }
  };
  std::vector<std::thread> workers(std::max(1u, std::thread::hardware_concurrency()));
  for (std::thread& worker : workers) worker = std::thread(work);
  for (std::thread& worker : workers) worker.join();
  std::map<std::string, Outcome> by_file;
  for (std::size_t i = 0; i < files.size(); ++i) by_file.emplace(files[i], std::move(outcomes[i]));
  return by_file;
}

/// The finding that is expected, or any of its kind; null if there is none.
const Json* finding_like(const Expected& expected, const Json& report) {
  const Json* of_kind = nullptr;
  for (const Json& one : report["findings"]) {
    if (one["kind"] != expected.kind || one["severity"] != "error") continue;
    if (one["line"] == expected.line) return &one;
    of_kind = &one;
  }
  return of_kind;
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

TEST_CASE("every mutant says its fault, has a row in the table, and every row a mutant") {
  const auto expected = expected_outcomes();
  REQUIRE_FALSE(expected.empty());
  for (const std::string& file : mutants()) {
    CAPTURE(file);
    CHECK(expected.count(file) == 1);
    std::string first_line;
    std::getline(std::ifstream(folder / file) >> std::ws, first_line);
    CHECK(first_line.starts_with("// Fault: "));
  }
  for (const auto& [name, row] : expected) {
    const std::string file = name;  // CAPTURE takes no structured binding
    CAPTURE(file);
    CHECK(fs::exists(folder / file));
    const bool explained = row.gpu == "passes" || row.gpu == "either";
    CHECK((row.gpu.empty() || row.gpu == "fails" || explained));
    CHECK(explained == !row.why.empty());
  }
}

TEST_CASE("every mutant is rejected, and the explanation names the planted fault") {
  const auto expected = expected_outcomes();
  for (const auto& one : checked(false)) {
    const std::string& file = one.first;
    const Outcome& outcome = one.second;
    CAPTURE(file);
    CAPTURE(outcome.errors);
    REQUIRE_FALSE(outcome.report.is_discarded());
    const Json& report = outcome.report;
    CHECK(outcome.exit_status == 1);
    CHECK(report["verdict"] == "fail");
    CHECK(report["operator"] == operator_of(file));
    const auto row = expected.find(file);
    if (row == expected.end()) continue;
    std::string said = report.value("explanation", "");
    if (!row->second.kind.empty()) {
      const Json* finding = finding_like(row->second, report);
      CAPTURE(report["findings"].dump());
      REQUIRE(finding != nullptr);
      CHECK((*finding)["line"] == row->second.line);
      said += "\n" + (*finding)["message"].get<std::string>();
    }
    CAPTURE(said);
    CHECK((!row->second.kind.empty() || !row->second.words.empty()));
    CHECK(contains(said, row->second.words));
  }
}

// For docs/judge.md: build/test_mutants --no-skip -tc='the cases*'
TEST_CASE("the cases: how many mutants each rejects, and which no other does" * doctest::skip()) {
  std::map<std::string, std::set<std::string>> cases;  // by operator
  const auto outcomes = checked(true);
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

TEST_CASE("a GPU sees what the table says that it sees") {
  const auto expected = expected_outcomes();
  for (const std::string& name : operators()) {
    const auto rows = rows_of(folder / name / "h200.csv", 4);
    if (rows.empty()) MESSAGE(name << ": not measured");
    for (const auto& row : rows) {
      const std::string file = name + "/" + row[0];
      CAPTURE(file);
      CAPTURE(row[3]);
      const auto found = expected.find(file);
      REQUIRE(found != expected.end());
      if (found->second.gpu == "either") continue;
      CHECK(row[1] == (found->second.gpu == "fails" ? "fail" : "pass"));
    }
  }
}
