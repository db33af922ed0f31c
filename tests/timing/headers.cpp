// The header comment of each rung. tests/gpu/make_performance.py writes its line "Measured:".
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <regex>
#include <sstream>

#include "support/files.h"
#include "support/paths.h"
#include "timing/measured_times.h"

using namespace kata;

namespace {

std::vector<std::filesystem::path> rungs(const Problem& problem) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(solutions(problem.name))) {
    const std::string name = entry.path().filename();
    if (std::isdigit(name[0]) && entry.path().extension() == ".cu") files.push_back(entry.path());
  }
  return files;
}

/// The line that tests/gpu/make_performance.py writes for this row.
std::string measured_line(const TimingRow& row, const MeasuredTimes& kept) {
  const double percent = 100 * row.of_limit;
  const std::string chip = kept.device.starts_with("NVIDIA ") ? kept.device.substr(7) : kept.device;
  return fmt::format("// Measured: {:.1f} us at {}, {:.{}f} % of the limit ({}, {})", row.median_us,
                     row.size, percent, percent >= 10 ? 0 : 1, chip, kept.date);
}

/// What is wrong with the line "Measured:" of this rung, or nothing.
std::string mistake(const std::filesystem::path& rung, const MeasuredTimes& kept) {
  const std::string text = read_file(rung).value_or("");
  std::smatch line;
  if (!std::regex_search(text, line, std::regex("(^|\n)(// Measured: [^\n]*)")))
    return "the header has no line '// Measured: not yet'";
  const std::string measured = line[2];
  const bool asks = std::regex_search(measured, line, std::regex(" at ([^ ,]+)"));
  const std::string size = asks ? line[1].str() : kept.rows.empty() ? "" : kept.rows[0].size;
  const std::vector<TimingRow> rows = rows_at(kept.rows, size);
  const TimingRow* const row = find_row(rows, rung.stem());
  const std::string wanted = row    ? measured_line(*row, kept)
                             : asks ? "// Measured: not yet at " + size
                                    : "// Measured: not yet";
  return measured == wanted ? "" : fmt::format("'{}' should be '{}'", measured, wanted);
}

}  // namespace

TEST_CASE("a rung's header has at most 12 lines, the idea on the first one") {
  int headers = 0;
  for (const Problem& problem : problems()) {
    for (const std::filesystem::path& rung : rungs(problem)) {
      std::istringstream text(read_file(rung).value_or(""));
      std::vector<std::string> header;
      for (std::string line; std::getline(text, line) && line.starts_with("//");)
        header.push_back(line);
      INFO(shown(rung));
      CHECK(header.size() <= 12);
      REQUIRE(header.size() > 2);
      CHECK(header[1] == "//");
      ++headers;
    }
  }
  CHECK(headers > 0);
}

TEST_CASE("a rung's header gives the time in times.csv: run tests/gpu/make_performance.py") {
  int measured = 0;
  for (const Problem& problem : problems()) {
    const Result<MeasuredTimes> kept = measured_times(problem);
    for (const std::filesystem::path& rung : rungs(problem)) {
      const std::string what = mistake(rung, kept ? *kept : MeasuredTimes{});
      if (!what.empty()) FAIL_CHECK(shown(rung) << ": " << what);
      measured += kept && what.empty();
    }
  }
  CHECK(measured > 0);
}
