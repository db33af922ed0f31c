#pragma once
// The times of a ladder that are kept with it: what somebody without that GPU is shown.

#include <string>
#include <vector>

#include "problems/problem.h"
#include "report/report.h"
#include "support/result.h"

namespace kata {

/// One run of `kata bench`: every row was measured beside the others.
struct KeptTimes {
  std::string device;  ///< "NVIDIA H200"
  std::string date;    ///< "2026-11-21"
  std::vector<TimingRow>
      rows;  ///< as the bench printed them: rungs, libraries, limit, size by size
};

/// solutions/<operator>/times.csv, which tests/gpu/make_performance.py writes. Sizes that are no
/// longer benched are left out. An Error where nothing is kept.
Result<KeptTimes> kept_times(const Problem& problem);

/// The rows of one size, in their order.
std::vector<TimingRow> rows_at(const std::vector<TimingRow>& rows, const std::string& size);

/// The row of that name, or null.
const TimingRow* find_row(const std::vector<TimingRow>& rows, const std::string& name);

}  // namespace kata
