#include "grading/level.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace kata {
namespace {

constexpr double share_that_matters = 0.01;
constexpr double same_time = 0.05;
constexpr const char* yours_name = "yours";

/// A rung and how far the candidate is from it.
struct Near {
  const Rung* rung;
  double distance;
};

template <class Row>
const Row* find_row(const std::vector<Row>& rows, const std::string& name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

const Near& nearest_of(const std::vector<Near>& all) {
  return *std::min_element(all.begin(), all.end(),
                           [](const Near& a, const Near& b) { return a.distance < b.distance; });
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

std::optional<Level> by_counts(const std::vector<CountRow>& rows, const std::vector<Rung>& rungs) {
  const CountRow* yours = find_row(rows, yours_name);
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
  const Near& nearest = nearest_of(all);
  Level level = level_at(*nearest.rung, rungs);
  const CountRow& reached = *find_row(rows, nearest.rung->name);
  for (const Near& other : all) {
    const CountRow& row = *find_row(rows, other.rung->name);
    const bool same = other.rung != nearest.rung && distance(reached, row, smallest) == 0;
    if (same) level.same.push_back(other.rung->name);
  }
  level.of_best = std::exp(-all.back().distance);
  return level;
}

std::optional<Level> by_time(const std::vector<TimingRow>& rows, const std::vector<Rung>& rungs) {
  const TimingRow* yours = find_row(rows, yours_name);  // the first size comes first
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
  const auto apart = [](std::uint64_t one, std::uint64_t other, double least) {
    return std::abs(
        std::log((static_cast<double>(one) + least) / (static_cast<double>(other) + least)));
  };
  double sum = apart(a.launches, b.launches, 1);
  for (const auto count : {&CountRow::threads, &CountRow::global_accesses, &CountRow::global_bytes,
                           &CountRow::sectors, &CountRow::wavefronts, &CountRow::conflicts,
                           &CountRow::atomics, &CountRow::barrier_warps}) {
    sum += apart(a.*count, b.*count, smallest);
  }
  return sum;
}

std::optional<Level> level_of(const Report& report, const std::vector<Rung>& rungs) {
  if (rungs.empty()) return {};
  if (const auto level = by_time(report.timing, rungs)) return level;
  return by_counts(report.counts, rungs);
}

}  // namespace kata
