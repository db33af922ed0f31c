#pragma once
// The measured times that are stored with a ladder, for people without that GPU.

#include <string>
#include <vector>

#include "problems/spec/problem.h"
#include "report/report.h"
#include "support/result.h"

namespace kata {

/// One run of `kata bench`: every row was measured beside the others.
struct MeasuredTimes {
  std::string device;           ///< "NVIDIA H200"
  std::string date;             ///< "2026-11-21"
  std::vector<TimingRow> rows;  ///< in the order of the bench: rungs, libraries, limit, by size
};

/// Reads solutions/<operator>/times.csv, which tests/gpu/make_performance.py writes, and leaves out
/// sizes that are not in bench_shapes. An Error if there are no times.
Result<MeasuredTimes> measured_times(const Problem& problem);

/// The rows of one size, in their order.
std::vector<TimingRow> rows_at(const std::vector<TimingRow>& rows, const std::string& size);

/// The row of that name, or null.
const TimingRow* find_row(const std::vector<TimingRow>& rows, const std::string& name);

}  // namespace kata
