#include "grading/level.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace kata {
namespace {

constexpr double share_that_matters = 0.01;
constexpr double same_time = 0.05;
constexpr double same_counts = 0.01;  // other inputs change some counts by less

// Besides launches.
constexpr std::array steady_counts = {&CountRow::threads, &CountRow::wavefronts,
                                      &CountRow::conflicts, &CountRow::atomics,
                                      &CountRow::barrier_warps};
// Blocks that wait for each other look again and again. Sectors count twice.
constexpr std::array schedule_counts = {&CountRow::global_accesses, &CountRow::global_bytes,
                                        &CountRow::sectors, &CountRow::sectors};

/// A rung and how far the candidate is from it.
struct Near {
  const Rung* rung;
  double distance;
};

template <class Row>
const Row* find_row(const std::vector<Row>& rows, const std::string& rung) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
    return row.kind == RowKind::rung && row.name == rung;
  });
  return found == rows.end() ? nullptr : &*found;
}

template <class Row>
const Row* find_yours(const std::vector<Row>& rows) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [](const Row& row) { return row.kind == RowKind::yours; });
  return found == rows.end() ? nullptr : &*found;
}

const Near& nearest_of(const std::vector<Near>& all) {
  return *std::min_element(all.begin(), all.end(),
                           [](const Near& a, const Near& b) { return a.distance < b.distance; });
}

double ratio(std::uint64_t one, std::uint64_t other, double least) {
  return (static_cast<double>(one) + least) / (static_cast<double>(other) + least);
}

bool both_wait(const CountRow& a, const CountRow& b) {
  return a.blocks_wait && b.blocks_wait;
}

/// 1 where `yours` is at least as good as `best` in every count.
double share_of_best(const CountRow& best, const CountRow& yours, double smallest) {
  double share = std::min(1.0, ratio(best.launches, yours.launches, 1));
  const auto compare = [&](const auto& counts) {
    for (const auto count : counts)
      share = std::min(share, ratio(best.*count, yours.*count, smallest));
  };
  compare(steady_counts);
  if (!both_wait(best, yours)) compare(schedule_counts);
  return share;
}

Level level_at(const Rung& rung, const std::vector<Rung>& rungs) {
  Level level{.rung = rung.number, .of = rungs.back().number, .name = rung.name};
  for (const Rung& one : rungs) {
    if (one.number > rung.number) {
      level.next_idea = one.idea;
      break;
    }
  }
  return level;
}

double us_of(const TimingRow& row) {
  return row.median_us;
}
double us_of(const Estimate& row) {
  return row.us;
}

/// Counts that are smaller than this do not matter beside the others.
double smallest_that_matters(const std::vector<CountRow>& rows) {
  double fewest = HUGE_VAL;
  for (const CountRow& row : rows) fewest = std::min(fewest, static_cast<double>(row.sectors));
  return std::max(1.0, share_that_matters * fewest);
}

std::optional<Level> by_counts(const Report& report, const std::vector<Rung>& rungs) {
  const std::vector<CountRow>& rows = report.counts;
  const CountRow* yours = find_yours(rows);
  if (!yours) return {};
  const double smallest = smallest_that_matters(rows);

  std::vector<Near> all;
  for (const Rung& rung : rungs) {
    const CountRow* row = find_row(rows, rung.name);
    if (row) all.push_back({&rung, distance(*yours, *row, smallest)});
  }
  if (all.empty()) return {};
  const CountRow& reached = *find_row(rows, nearest_of(all).rung->name);
  std::vector<const Rung*> tied;
  for (const Near& one : all) {
    if (distance(reached, *find_row(rows, one.rung->name), smallest) <= same_counts)
      tied.push_back(one.rung);
  }
  Level level = level_at(*tied.front(), rungs);
  for (std::size_t i = 1; i < tied.size(); ++i) level.same.push_back(tied[i]->name);
  level.of_best = share_of_best(*find_row(rows, all.back().rung->name), *yours, smallest);
  return level;
}

/// The rung whose counts are nearest to the candidate's; the last, where they are not counted.
const Rung* nearest_by_counts(const std::vector<const Rung*>& rungs,
                              const std::vector<CountRow>& counts) {
  const CountRow* yours = find_yours(counts);
  const Rung* nearest = rungs.back();
  if (!yours) return nearest;
  const double smallest = smallest_that_matters(counts);
  double least = HUGE_VAL;
  for (const Rung* rung : rungs) {
    const CountRow* row = find_row(counts, rung->name);
    if (!row) continue;
    const double apart = distance(*yours, *row, smallest);
    if (apart > least) continue;
    least = apart;
    nearest = rung;
  }
  return nearest;
}

/// By measured or estimated times.
template <class Row>
std::optional<Level> by_time(const std::vector<Row>& rows, const std::vector<CountRow>& counts,
                             const std::vector<Rung>& rungs) {
  const Row* yours = find_yours(rows);  // the first size comes first
  if (!yours || !(us_of(*yours) > 0)) return {};
  std::vector<Near> all;
  double best_us = HUGE_VAL;
  for (const Rung& rung : rungs) {
    const Row* row = find_row(rows, rung.name);
    if (!row || !(us_of(*row) > 0)) continue;
    all.push_back({&rung, std::abs(std::log(us_of(*yours) / us_of(*row)))});
    best_us = std::min(best_us, us_of(*row));
  }
  if (all.empty()) return {};
  const double nearest_us = us_of(*find_row(rows, nearest_of(all).rung->name));
  std::vector<const Rung*> as_fast;
  for (const Near& one : all) {
    const double us = us_of(*find_row(rows, one.rung->name));
    if (std::abs(us / nearest_us - 1) <= same_time) as_fast.push_back(one.rung);
  }
  Level level = level_at(*nearest_by_counts(as_fast, counts), rungs);
  level.of_best = best_us / us_of(*yours);
  return level;
}

std::optional<Level> by_cost(const Report& report, const std::vector<Rung>& rungs) {
  if (rungs.empty()) return {};
  if (const auto level = by_time(report.timing, report.counts, rungs)) return level;
  // A rung without an estimate may be the nearest, or the best.
  if (ladder_is_estimated(report))
    if (const auto level = by_time(report.estimates, report.counts, rungs)) return level;
  return by_counts(report, rungs);
}

}  // namespace

double distance(const CountRow& a, const CountRow& b, double smallest) {
  double sum = std::abs(std::log(ratio(a.launches, b.launches, 1)));
  const auto compare = [&](const auto& counts) {
    for (const auto count : counts) sum += std::abs(std::log(ratio(a.*count, b.*count, smallest)));
  };
  compare(steady_counts);
  if (!both_wait(a, b)) compare(schedule_counts);
  return sum;
}

std::optional<SlowerRung> slower_next(const Level& level, const std::vector<Rung>& rungs,
                                      const LadderTimes& times) {
  const auto us_of_rung = [&](const std::string& name) {
    const auto found = times.us.find(name);
    return found == times.us.end() ? 0 : found->second;
  };
  const auto next = std::find_if(rungs.begin(), rungs.end(),
                                 [&](const Rung& one) { return one.number > level.rung; });
  if (next == rungs.end()) return {};
  const double us = us_of_rung(next->name), reached_us = us_of_rung(level.name);
  if (!(reached_us > 0) || us <= (1 + same_time) * reached_us) return {};
  SlowerRung slower{
      .us = us, .reached_us = reached_us, .chip = times.chip, .measured = times.measured};
  const auto faster = std::find_if(next, rungs.end(), [&](const Rung& one) {
    return us_of_rung(one.name) > 0 && us_of_rung(one.name) < reached_us;
  });
  if (faster == rungs.end()) return slower;
  slower.pays_from = faster->number;
  slower.faster_idea = faster->idea;
  return slower;
}

std::optional<Level> level_of(const Report& report, const std::vector<Rung>& rungs,
                              const Rung* itself) {
  std::optional<Level> level = by_cost(report, rungs);
  if (!level || !itself) return level;
  Level own = level_at(*itself, rungs);
  own.of_best = level->of_best;
  return own;
}

}  // namespace kata
