// What the emulator says of the faulty candidates that compute-sanitizer was run over on an H200.
//
// h200_sanitizer.csv has the command; docs/fidelity.md has the table.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "fidelity/measured.h"
#include "support/process.h"

using namespace kata::test;
using Json = nlohmann::json;

namespace {

/// The kind of finding that each mutant must have (test_mutants compares); empty if none.
std::map<std::string, std::string> known_kinds() {
  const std::filesystem::path mutants = fidelity_folder.parent_path() / "mutants";
  std::map<std::string, std::string> kinds;
  for (const auto& folder : std::filesystem::directory_iterator(mutants)) {
    if (!folder.is_directory()) continue;
    const std::string name = folder.path().filename();
    for (const Row& row : read_table(folder.path() / "expected.csv"))
      kinds["tests/mutants/" + name + "/" + row.at("file")] = row.at("kind");
  }
  return kinds;
}

/// Whether `kata check` has a finding that is an error.
bool has_errors(const std::string& file) {
  const auto finished =
      kata::run({.arguments = {KATA_BINARY_DIR "/kata", "check", KATA_SOURCE_DIR "/" + file,
                               "--backend", "emulator", "--no-ladder", "--json"},
                 .time_limit_s = 120});
  REQUIRE(finished);
  const Json report = Json::parse(finished->output, nullptr, false);
  REQUIRE(report.is_object());
  for (const Json& finding : report["findings"]) {
    if (finding["severity"] == "error") return true;
  }
  return false;
}

}  // namespace

TEST_CASE("where a tool of compute-sanitizer reports a fault, so does the emulator" *
          doctest::test_suite("slow")) {
  const auto known = known_kinds();
  std::set<std::string> reported;
  for (const Row& row : read_table("h200_sanitizer.csv")) {
    if (number(row, "reports") == 0) continue;
    reported.insert(row.at("file"));
  }
  REQUIRE_FALSE(reported.empty());
  for (const std::string& file : reported) {
    CAPTURE(file);
    const auto mutant = known.find(file);
    const bool is_known = mutant != known.end() && !mutant->second.empty();
    CHECK((is_known || has_errors(file)));
  }
}
