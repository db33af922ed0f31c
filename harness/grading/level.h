#pragma once
// Which rung's idea a candidate has reached, by what it costs; a rung itself has reached its own.

#include <optional>
#include <string>
#include <vector>

#include "grading/ladder.h"
#include "report/report.h"

namespace kata {

/// How far apart two rows of counts are: the sum, over launches, threads, global accesses, bytes
/// and sectors, shared wavefronts and conflicts, atomics and warps at barriers, of |ln((a + s) / (b
/// + s))|. Sectors count twice: they are the most expensive. The smallest count that matters, `s`,
/// keeps a handful of barriers beside a million sectors from counting as much as a pass over the
/// input. Where the blocks of both wait for each other, the global accesses, bytes and sectors
/// depend on the schedule and are left out.
double distance(const CountRow& a, const CountRow& b, double smallest);

/// By the report's times, else by its estimates, else by its counts; nothing if it has none, or if
/// there are only counts and its blocks wait for each other: how long they do is not counted.
///
/// By time: the fastest rung that yours keeps up with at every size at which it has a time; where
/// there is none, at the size where yours is farthest from the best rung. To keep up with a rung is
/// to take at most 5 % longer (10 % by estimates), or to be nearest in ln(time) to that one or a
/// faster one. Of rungs within 5 % of each other the one with the nearest counts is the level,
/// where nothing was counted the last; `same` has the others. By counts: the nearest rung, and in
/// `same` the rungs within a distance of 0.01 of it; nothing if a count is more than 1.5 times the
/// rung's, or less than that part of it, or if the call touches fewer than 1000 sectors. The
/// smallest count that matters is 1 % of the fewest sectors of any row.
///
/// The rung to aim for is by time the first above the level that is more than 5 % faster than yours
/// at its worst size, else the best there; by counts the next.
///
/// `of_best` by counts is the last rung's count over the candidate's, of that count where this is
/// least.
///
/// `itself` is the rung that the candidate is, if it is one: the level is that rung, even if other
/// inputs or another schedule say otherwise.
std::optional<Level> level_of(const Report& report, const std::vector<Rung>& rungs,
                              const Rung* itself = nullptr);

}  // namespace kata
