#pragma once
// Samples become rows of the table.

#include <optional>
#include <string>
#include <vector>

#include "problems/spec/problem.h"
#include "report/report.h"
#include "timing/limit.h"

namespace kata {

/// Below this a time is mostly the launch: an empty kernel takes about 3 us from event to event.
inline constexpr double launch_bound_us = 10;

/// What was measured of one kernel at one size.
struct Measured {
  RowKind kind = RowKind::rung;
  std::string name;
  std::vector<double> samples_us = {};
  std::string error = {};  ///< why there are no samples, or why they mean nothing
  bool failed = false;     ///< a launch or a kernel of it failed at this size
  bool invalid = false;    ///< what was measured is not the time of the work
};

/// What follows from a row's time and the problem's cost.
void rate(TimingRow& row, const Cost& cost);

/// One row per kernel, in order, and the limit's, if there is one, as the last.
std::vector<TimingRow> table(const std::vector<Measured>& measured, const std::string& size,
                             const Cost& cost, const std::optional<Limit>& least);

}  // namespace kata
