#pragma once
// Which rung's idea a candidate has reached, by what it costs and never by its text.

#include <optional>
#include <vector>

#include "grading/ladder.h"
#include "report/report.h"

namespace kata {

/// How far apart two rows of counts are: the sum, over launches, threads, global accesses, bytes
/// and sectors, shared wavefronts and conflicts, atomics and warps at barriers, of |ln((a + s) / (b
/// + s))|. Sectors count twice: they are the most expensive. The smallest count that matters, `s`,
/// keeps a handful of barriers beside a million sectors from counting as much as a pass over the
/// input.
double distance(const CountRow& a, const CountRow& b, double smallest);

/// By the report's times, else by its estimates if every rung has one, else by its counts; nothing
/// if it has none.
///
/// By time: the rung nearest in ln(time) at the first size. Of those within 5 % of it the one with
/// the nearest counts; where nothing was counted the last, since what is as fast as a rung has
/// reached it. By counts: the nearest rung, and in `same` the rungs with the same counts. The
/// smallest count that matters is 1 % of the fewest sectors of any row.
///
/// `of_best` is the best rung's time over the candidate's; without times the last rung's count over
/// the candidate's, of that count where this is least.
std::optional<Level> level_of(const Report& report, const std::vector<Rung>& rungs);

}  // namespace kata
