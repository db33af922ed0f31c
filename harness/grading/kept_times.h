#pragma once
// Times of a ladder that were measured on this GPU, so that a check has to time nothing but the
// candidate.

#include <optional>
#include <string>
#include <vector>

#include "problems/spec/problem.h"
#include "report/report.h"
#include "worker/job.h"

namespace kata {

/// The rungs, the libraries and the limit at one size, measured in turn.
struct KeptTimes {
  std::string date;  ///< "2026-11-21"
  std::vector<TimingRow> rows;
};

/// What the times of the job's rungs and libraries depend on: the GPU, their code, and the worker
/// that measures.
std::string ladder_key(const Job& job, const std::string& gpu);

/// Nothing if none are kept, or those of other code.
std::optional<KeptTimes> kept_times(const Problem& problem, const Shape& shape,
                                    const std::string& key);

/// Keeps the rows of that size but yours, if each has a time.
void keep_times(const Problem& problem, const Shape& shape, const std::string& key,
                const std::vector<TimingRow>& rows);

/// Whether a limit that was measured now says that the GPU is as fast as it was then. Clocks, and
/// programs beside kata, change times.
bool is_as_fast_as_then(const KeptTimes& kept, const TimingRow& limit_now);

}  // namespace kata
