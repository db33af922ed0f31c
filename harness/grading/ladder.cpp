#include "grading/ladder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string_view>

#include "emulator/lexer/lexer.h"
#include "report/text/highlight.h"
#include "support/files.h"
#include "support/paths.h"
#include "timing/measured_times.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

constexpr std::string_view library_prefix = "library_";

/// The first line of a file's header comment, without the comment's signs.
std::string first_comment_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t begin = line.find_first_not_of(" \t/*");
    if (begin == std::string::npos) continue;         // an empty line, or a comment's opening alone
    if (line.find_first_of("/*") > begin) return {};  // code: there is no header comment
    const std::size_t end = line.find_last_not_of(" \t\r*/");
    return line.substr(begin, end + 1 - begin);
  }
  return {};
}

bool is_marked_as_goal(const fs::path& path) {
  const std::optional<std::string> text = read_file(path);
  if (!text) return false;
  for (const std::string& paragraph : header_of(*text).paragraphs) {
    if (paragraph.find("he rung to reach in 30 minutes") != std::string::npos) return true;
  }
  return false;
}

template <class Read>
std::vector<Rung> files_of(const std::string& operator_name, Read read) {
  std::vector<Rung> rungs;
  std::error_code failed;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(solutions(operator_name), failed)) {
    if (entry.path().extension() != ".cu") continue;
    Rung rung{.name = entry.path().stem().string(), .path = entry.path()};
    if (!read(rung)) continue;
    rung.idea = first_comment_line(rung.path);
    rung.is_goal = is_marked_as_goal(rung.path);
    rungs.push_back(std::move(rung));
  }
  std::sort(rungs.begin(), rungs.end(), [](const Rung& a, const Rung& b) {
    return a.number != b.number ? a.number < b.number : a.name < b.name;
  });
  return rungs;
}

}  // namespace

std::vector<Rung> ladder(const std::string& operator_name) {
  return files_of(operator_name, [](Rung& rung) {
    const char* const end = rung.name.data() + rung.name.size();
    const auto [after, failed] = std::from_chars(rung.name.data(), end, rung.number);
    return failed == std::errc() && after != end && *after == '_';
  });
}

const Rung* rung_with_text(const std::vector<Rung>& rungs, const std::string& text) {
  const std::string tokens = emulator::significant_tokens(text);
  const auto found = std::find_if(rungs.begin(), rungs.end(), [&](const Rung& rung) {
    return emulator::significant_tokens(read_file(rung.path).value_or("")) == tokens;
  });
  return found == rungs.end() ? nullptr : &*found;
}

const Rung& fastest_rung(const Problem& problem, const std::vector<Rung>& rungs) {
  const Result<MeasuredTimes> times = measured_times(problem);
  if (!times) return rungs.back();
  const Rung* fastest = &rungs.back();
  double least = HUGE_VAL;  // sum of logarithms
  for (const Rung& rung : rungs) {
    double sum = 0;
    for (const Shape& shape : problem.bench_shapes) {
      const std::vector<TimingRow> rows = rows_at(times->rows, to_string(shape));
      const TimingRow* const row = find_row(rows, rung.name);
      sum += row ? std::log(row->median_us) : HUGE_VAL;
    }
    if (sum >= least) continue;
    least = sum;
    fastest = &rung;
  }
  return *fastest;
}

const Rung* goal_of(const std::vector<Rung>& rungs) {
  const auto found =
      std::find_if(rungs.begin(), rungs.end(), [](const Rung& rung) { return rung.is_goal; });
  return found == rungs.end() ? nullptr : &*found;
}

std::vector<Rung> libraries(const std::string& operator_name) {
  return files_of(operator_name, [](Rung& rung) {
    if (!rung.name.starts_with(library_prefix)) return false;
    rung.name.erase(0, library_prefix.size());
    return true;
  });
}

}  // namespace kata
