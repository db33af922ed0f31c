// Candidates by someone who knew the exercises' texts and nothing of the judge or its tests: 28
// right ones and 28 wrong ones. With a GPU: CANDIDATES=tests/verdicts/unseen tests/gpu/run_all.sh
// unseen.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "check.h"
#include "support/parallel.h"

namespace fs = std::filesystem;

namespace {

const fs::path unseen = fs::path(KATA_SOURCE_DIR) / "tests" / "verdicts" / "unseen";

struct Unseen {
  std::string file, expected;
  bool needs_gpu;  ///< wrong at sizes that the emulator does not run
  std::string verdict = {};
};

std::vector<Unseen> candidates() {
  std::ifstream table(unseen / "expected.csv");
  std::vector<Unseen> result;
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream row(line);
    Unseen one;
    std::string needs_gpu;
    std::getline(row, one.file, ',');
    std::getline(row, one.expected, ',');
    std::getline(row, needs_gpu, ',');
    one.needs_gpu = needs_gpu == "yes";
    result.push_back(one);
  }
  return result;
}

}  // namespace

TEST_CASE("candidates of someone who has not seen the judge are judged rightly" *
          doctest::test_suite("slow")) {
  std::vector<Unseen> all = candidates();
  REQUIRE(all.size() >= 50);
  kata::in_parallel(all.size(), [&](std::size_t i) {
    const kata::test::Outcome outcome = kata::test::check(unseen / all[i].file, {"--no-ladder"});
    all[i].verdict =
        outcome.report.is_discarded() ? outcome.errors : outcome.report.value("verdict", "none");
  });
  for (const Unseen& one : all) {
    CAPTURE(one.file);
    CHECK(one.verdict == (one.needs_gpu ? "pass" : one.expected));
  }
}
