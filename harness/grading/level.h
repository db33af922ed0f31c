#pragma once
// Which rung's idea a candidate has reached, by what it costs; a rung itself has reached its own.

#include <map>
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

/// By the report's times, else by its estimates if every rung has one, else by its counts; nothing
/// if it has none.
///
/// By time: the rung nearest in ln(time) at the first size. Of those within 5 % of it the one with
/// the nearest counts; where nothing was counted the last, since what is as fast as a rung has
/// reached it. By counts: the nearest rung, and in `same` the rungs within a distance of 0.01 of
/// it. The smallest count that matters is 1 % of the fewest sectors of any row.
///
/// `of_best` is the best rung's time over the candidate's; without times the last rung's count over
/// the candidate's, of that count where this is least.
///
/// `itself` is the rung that the candidate is, if it is one: the level is that rung, even if other
/// inputs, another schedule or equal times say otherwise.
std::optional<Level> level_of(const Report& report, const std::vector<Rung>& rungs,
                              const Rung* itself = nullptr);

/// The times of a ladder at one size on one chip, by the names of its rungs.
struct LadderTimes {
  std::string chip = {};
  bool measured = false;
  std::map<std::string, double> us = {};
};

/// Set if the rung above is more than 5 % slower than the rung that the candidate has reached.
std::optional<SlowerRung> slower_next(const Level& level, const std::vector<Rung>& rungs,
                                      const LadderTimes& times);

}  // namespace kata
