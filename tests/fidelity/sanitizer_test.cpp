// What the emulator says of the faulty candidates that compute-sanitizer was run over on an H200.
//
// h200_sanitizer.csv: tests/gpu/run_all.sh build mutants; docs/fidelity.md has the table.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "fidelity/measured.h"
#include "support/process.h"

using namespace kata::test;
using Json = nlohmann::json;

namespace {

/// The findings of `kata check` that are errors.
std::set<std::string> errors_in(const std::string& file) {
  const auto finished =
      kata::run({.arguments = {KATA_BINARY_DIR "/kata", "check", KATA_SOURCE_DIR "/" + file,
                               "--backend", "emulator", "--json"},
                 .time_limit_s = 120});
  REQUIRE(finished);
  const Json report = Json::parse(finished->output, nullptr, false);
  REQUIRE(report.is_object());
  std::set<std::string> kinds;
  for (const Json& finding : report["findings"]) {
    if (finding["severity"] == "error") kinds.insert(finding["kind"].get<std::string>());
  }
  return kinds;
}

}  // namespace

TEST_CASE("where compute-sanitizer reports a fault, so does the emulator") {
  std::set<std::string> reported;
  for (const Row& row : read_table("h200_sanitizer.csv")) {
    if (number(row, "reports") > 0) reported.insert(row.at("file"));
  }
  REQUIRE_FALSE(reported.empty());
  for (const std::string& file : reported) {
    CAPTURE(file);
    CHECK_FALSE(errors_in(file).empty());
  }
}
