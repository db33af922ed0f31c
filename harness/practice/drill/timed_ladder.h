#pragma once
// The rungs of a ladder with their measured times, and their code as a person reads it in a drill.

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "grading/ladder.h"
#include "problems/spec/problem.h"
#include "report/report.h"
#include "support/result.h"

namespace kata::drill {

struct TimedRung {
  Rung rung;
  TimingRow row;
};

/// All rungs that were measured beside each other at one size.
struct TimedSize {
  std::string device, date;
  Shape shape;
  std::vector<TimedRung> rungs;
  std::string limit;  ///< what limits the best kernel: "copy", "read", "FFMA", "tensor f16"
};

/// In the order of bench_shapes. An Error without measured times: how to measure them.
Result<std::vector<TimedSize>> timed_sizes(const Problem& problem);

/// The one of that size, or an Error: it is not there any more.
Result<TimedSize> timed_size(const Problem& problem, const std::string& size);

/// Null if there is none of that name.
const TimedRung* find_rung(const TimedSize& size, const std::string& name);

/// Rungs, then the headers that they include, without comments: these tell how fast they are. The
/// name beside each stands for its own, which would tell, too.
std::string code_of(const std::vector<std::pair<std::string, Rung>>& rungs);

/// "12.3 us" or "45.9 ms", in the unit of the time that stands beside it if that one is longer;
/// "60 % of the limit".
std::string time_text(double us, double beside = 0);
std::string share_text(double share);

/// Of how many times: "1.07", "15.4", "170".
std::string factor_text(double factor);

/// Of an estimate: all points within a factor of 1.2, none from three on, by the logarithm
/// between.
int points_for_factor(double answer, double truth, int most);
/// "; 2 is too low by a factor of 1.63" where that costs points.
std::string factor_remark(double answer, double truth, int most);

/// From how many lines of code a level can be read in its time: 1 to 3, or 4 if in none.
int level_of_lines(std::ptrdiff_t lines);
int level_of_code(const std::string& code);

/// Lines of code of a rung's kernel and headers, used or not: quick to count.
using LinesByFile = std::map<std::filesystem::path, int>;
LinesByFile lines_by_file(const Rung& rung);

}  // namespace kata::drill
