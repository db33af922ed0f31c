// What the emulator says of the faulty candidates that compute-sanitizer was run over on an H200.
//
// h200_sanitizer.csv has the command; docs/fidelity.md has the table.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "contribute/planted.h"
#include "fidelity/measured.h"
#include "problems/spec/problem.h"
#include "support/process.h"
#include "support/temporary_folder.h"

using namespace kata::test;
using Json = nlohmann::json;

namespace {

/// The kind of finding that each faulty kernel must have (test_operators compares); empty if none.
/// The table names all of them as files of tests/mutants, which they were when it was measured.
std::map<std::string, std::string> known_kinds() {
  std::map<std::string, std::string> kinds;
  for (const kata::Problem& problem : kata::problems()) {
    const auto all = kata::faults::read_faults(problem.name);
    REQUIRE(all);
    for (const kata::faults::Fault& fault : *all) {
      kinds["tests/mutants/" + problem.name + "/" + fault.name + ".cu"] =
          fault.kind ? kata::to_string(*fault.kind) : "";
    }
  }
  return kinds;
}

/// A file, or the fault with its name; empty if there is neither.
std::filesystem::path file_of(const std::string& file, const std::filesystem::path& folder) {
  const std::filesystem::path whole = std::filesystem::path(KATA_SOURCE_DIR) / file;
  if (std::filesystem::exists(whole)) return whole;
  const auto faults = kata::faults::read_faults(whole.parent_path().filename());
  REQUIRE(faults);
  for (const kata::faults::Fault& fault : *faults) {
    if (fault.name != whole.stem()) continue;
    const auto files = kata::contribute::write_faults({fault}, folder);
    REQUIRE(files);
    return files->front();
  }
  return {};
}

/// Whether `kata check` has a finding that is an error.
bool has_errors(const std::filesystem::path& file) {
  const auto finished = kata::run({.arguments = {KATA_BINARY_DIR "/kata", "check", file.string(),
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
  const kata::TemporaryFolder folder;
  for (const std::string& file : reported) {
    CAPTURE(file);
    const auto mutant = known.find(file);
    const bool is_known = mutant != known.end() && !mutant->second.empty();
    CHECK((is_known || has_errors(file_of(file, folder.path()))));
  }
}
