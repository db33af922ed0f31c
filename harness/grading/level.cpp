#include "grading/level.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace kata {
namespace {

constexpr double share_that_matters = 0.01;
constexpr double same_time = 0.05;

// Besides launches.
constexpr std::array counted = {&CountRow::threads,      &CountRow::global_accesses,
                                &CountRow::global_bytes, &CountRow::sectors,
                                &CountRow::wavefronts,   &CountRow::conflicts,
                                &CountRow::atomics,      &CountRow::barrier_warps};

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

/// 1 where `yours` is at least as good as `best` in every count.
double share_of_best(const CountRow& best, const CountRow& yours, double smallest) {
  double share = std::min(1.0, ratio(best.launches, yours.launches, 1));
  for (const auto count : counted) {
    share = std::min(share, ratio(best.*count, yours.*count, smallest));
  }
  return share;
}

/// Nothing where the candidate or every rung lacks an estimate.
std::optional<double> share_of_best(const std::vector<Estimate>& rows,
                                    const std::vector<Rung>& rungs) {
  const Estimate* yours = find_yours(rows);
  if (!yours || !(yours->us > 0)) return {};
  double best_us = 0;
  for (const Rung& rung : rungs) {
    const Estimate* row = find_row(rows, rung.name);
    if (!row || !(row->us > 0)) continue;
    best_us = best_us > 0 ? std::min(best_us, row->us) : row->us;
  }
  if (!(best_us > 0)) return {};
  return best_us / yours->us;
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

/// Of rungs whose counts are the same, those whose estimated time, at a larger size, is nearest to
/// the candidate's; all where there are no estimates.
std::vector<const Rung*> as_fast(const std::vector<const Rung*>& tied,
                                 const std::vector<Estimate>& rows) {
  const Estimate* yours = find_yours(rows);
  if (!yours || !(yours->us > 0)) return tied;
  const auto apart = [&](const Rung* rung) {
    const Estimate* row = find_row(rows, rung->name);
    return row && row->us > 0 ? std::abs(std::log(yours->us / row->us)) : HUGE_VAL;
  };
  double least = HUGE_VAL;
  for (const Rung* rung : tied) least = std::min(least, apart(rung));
  std::vector<const Rung*> nearest;
  for (const Rung* rung : tied) {
    if (apart(rung) <= least + std::log(1 + same_time)) nearest.push_back(rung);
  }
  return nearest;
}

std::optional<Level> by_counts(const Report& report, const std::vector<Rung>& rungs) {
  const std::vector<CountRow>& rows = report.counts;
  const CountRow* yours = find_yours(rows);
  if (!yours) return {};
  double fewest = static_cast<double>(yours->sectors);
  for (const CountRow& row : rows) fewest = std::min(fewest, static_cast<double>(row.sectors));
  const double smallest = std::max(1.0, share_that_matters * fewest);

  std::vector<Near> all;
  for (const Rung& rung : rungs) {
    const CountRow* row = find_row(rows, rung.name);
    if (row) all.push_back({&rung, distance(*yours, *row, smallest)});
  }
  if (all.empty()) return {};
  const CountRow& reached = *find_row(rows, nearest_of(all).rung->name);
  std::vector<const Rung*> tied;
  for (const Near& one : all) {
    if (distance(reached, *find_row(rows, one.rung->name), smallest) == 0) tied.push_back(one.rung);
  }
  tied = as_fast(tied, report.estimates);
  Level level = level_at(*tied.front(), rungs);
  for (std::size_t i = 1; i < tied.size(); ++i) level.same.push_back(tied[i]->name);
  level.of_best = share_of_best(*find_row(rows, all.back().rung->name), *yours, smallest);
  return level;
}

std::optional<Level> by_time(const std::vector<TimingRow>& rows, const std::vector<Rung>& rungs) {
  const TimingRow* yours = find_yours(rows);  // the first size comes first
  if (!yours || !(yours->median_us > 0)) return {};
  std::vector<Near> all;
  double best_us = 0;
  for (const Rung& rung : rungs) {
    const TimingRow* row = find_row(rows, rung.name);
    if (!row || !(row->median_us > 0)) continue;
    all.push_back({&rung, std::abs(std::log(yours->median_us / row->median_us))});
    best_us = best_us > 0 ? std::min(best_us, row->median_us) : row->median_us;
  }
  if (all.empty()) return {};
  const double nearest_us = find_row(rows, nearest_of(all).rung->name)->median_us;
  const auto last = std::find_if(all.rbegin(), all.rend(), [&](const Near& one) {
    const double us = find_row(rows, one.rung->name)->median_us;
    return std::abs(us / nearest_us - 1) <= same_time;
  });
  Level level = level_at(*last->rung, rungs);
  level.of_best = best_us / yours->median_us;
  return level;
}

}  // namespace

double distance(const CountRow& a, const CountRow& b, double smallest) {
  double sum = std::abs(std::log(ratio(a.launches, b.launches, 1)));
  sum += std::abs(std::log(ratio(a.sectors, b.sectors, smallest)));  // and once more below
  for (const auto count : counted) {
    sum += std::abs(std::log(ratio(a.*count, b.*count, smallest)));
  }
  return sum;
}

std::optional<Level> level_of(const Report& report, const std::vector<Rung>& rungs) {
  if (rungs.empty()) return {};
  if (const auto level = by_time(report.timing, rungs)) return level;
  std::optional<Level> level = by_counts(report, rungs);
  const std::optional<double> estimated = share_of_best(report.estimates, rungs);
  if (level && estimated) level->of_best = *estimated;
  return level;
}

}  // namespace kata
