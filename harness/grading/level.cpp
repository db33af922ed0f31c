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
// By counts: one that is farther off than this is another idea's.
constexpr double alike = 1.5;
constexpr std::uint64_t enough_sectors = 1000;  // of a call that is more than a launch

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

const CountRow* find_row(const std::vector<CountRow>& rows, const std::string& rung) {
  const auto found = std::ranges::find_if(
      rows, [&](const CountRow& row) { return row.kind == RowKind::rung && row.name == rung; });
  return found == rows.end() ? nullptr : &*found;
}

const CountRow* find_yours(const std::vector<CountRow>& rows) {
  const auto found = std::ranges::find(rows, RowKind::yours, &CountRow::kind);
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

/// The least of the ratios of `a`'s counts to those of `b`.
double least_ratio(const CountRow& a, const CountRow& b, double smallest) {
  double least = ratio(a.launches, b.launches, 1);
  const auto compare = [&](const auto& counts) {
    for (const auto count : counts) least = std::min(least, ratio(a.*count, b.*count, smallest));
  };
  compare(steady_counts);
  if (!both_wait(a, b)) compare(schedule_counts);
  return least;
}

/// 1 where `yours` is at least as good as `best` in every count.
double share_of_best(const CountRow& best, const CountRow& yours, double smallest) {
  return std::min(1.0, least_ratio(best, yours, smallest));
}

bool are_alike(const CountRow& a, const CountRow& b, double smallest) {
  return std::min(least_ratio(a, b, smallest), least_ratio(b, a, smallest)) * alike >= 1;
}

void aim_for(const Rung& rung, Level& level) {
  level.next = rung.number;
  level.next_idea = rung.idea;
}

double us_of(const TimingRow& row) {
  return row.median_us;
}
/// What is scaled up from another size says too little.
double us_of(const Estimate& row) {
  return row.extrapolated_from.empty() ? row.us : 0;
}

/// Counts that are smaller than this do not matter beside the others.
double smallest_that_matters(const std::vector<CountRow>& rows) {
  double fewest = HUGE_VAL;
  for (const CountRow& row : rows) fewest = std::min(fewest, static_cast<double>(row.sectors));
  return std::max(1.0, share_that_matters * fewest);
}

std::optional<Level> by_counts(const Report& report, const std::vector<Rung>& rungs,
                               const Rung* itself) {
  const std::vector<CountRow>& rows = report.counts;
  const CountRow* yours = find_yours(rows);
  // How long blocks wait for each other is not counted.
  if (!yours || (yours->blocks_wait && !itself)) return {};
  // Of a few sectors every kernel has much the same counts.
  if (yours->sectors < enough_sectors && !itself) return {};
  const double smallest = smallest_that_matters(rows);

  std::vector<Near> all;
  for (const Rung& rung : rungs) {
    const CountRow* row = find_row(rows, rung.name);
    if (row) all.push_back({&rung, distance(*yours, *row, smallest)});
  }
  if (all.empty()) return {};
  const CountRow& reached = *find_row(rows, nearest_of(all).rung->name);
  // Better in one count and worse in another: which of them costs more is not counted.
  if (!itself && !are_alike(*yours, reached, smallest)) return {};
  std::vector<const Rung*> tied;
  for (const Near& one : all) {
    if (distance(reached, *find_row(rows, one.rung->name), smallest) <= same_counts)
      tied.push_back(one.rung);
  }
  if (itself) tied = {itself};
  Level level{.rung = tied.front()->number, .of = rungs.back().number, .name = tied.front()->name};
  for (std::size_t i = 1; i < tied.size(); ++i) level.same.push_back(tied[i]->name);
  const auto above = std::ranges::upper_bound(rungs, tied.back()->number, {}, &Rung::number);
  if (above != rungs.end()) aim_for(*above, level);
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

/// What a candidate and the rungs take at one size.
struct AtSize {
  std::string size;
  double yours_us = 0;
  std::vector<std::pair<const Rung*, double>> rungs_us = {};  ///< those that have a time

  double us_of_rung(const Rung* rung) const {
    const auto found = std::ranges::find(rungs_us, rung, [](const auto& one) { return one.first; });
    return found == rungs_us.end() ? 0 : found->second;
  }
  /// How far yours is from the rung, in logarithms.
  double apart(const Rung* rung) const { return std::abs(std::log(us_of_rung(rung) / yours_us)); }
  /// Yours counts as as fast as the rung nearest in time, if it is slower than that.
  bool keeps_up_with(const Rung* rung) const {
    const auto apart_from = [&](const auto& one) { return apart(one.first); };
    const double nearest_us = std::ranges::min_element(rungs_us, {}, apart_from)->second;
    return std::min(yours_us, nearest_us) <= (1 + same_time) * us_of_rung(rung);
  }
  double of_best() const {
    const auto us = [](const auto& one) { return one.second; };
    return std::ranges::min_element(rungs_us, {}, us)->second / yours_us;
  }
};

/// At each size at which yours has a time, and all rungs or, if `of_some` do, some.
template <class Row>
std::vector<AtSize> at_each_size(const std::vector<Row>& rows, const std::vector<Rung>& rungs,
                                 bool of_some) {
  std::vector<AtSize> all;
  for (const Row& yours : rows) {
    if (yours.kind != RowKind::yours || !(us_of(yours) > 0)) continue;
    AtSize one{.size = yours.size, .yours_us = us_of(yours)};
    for (const Row& row : rows) {
      if (row.kind != RowKind::rung || row.size != yours.size || !(us_of(row) > 0)) continue;
      const auto rung = std::ranges::find(rungs, row.name, &Rung::name);
      if (rung != rungs.end()) one.rungs_us.emplace_back(&*rung, us_of(row));
    }
    if (of_some ? !one.rungs_us.empty() : one.rungs_us.size() == rungs.size())
      all.push_back(std::move(one));
  }
  return all;
}

/// The rungs that yours keeps up with at all of these sizes.
std::vector<const Rung*> kept_up_with(const std::vector<AtSize>& all) {
  std::vector<const Rung*> found;
  for (const auto& [rung, us] : all.front().rungs_us) {
    if (std::ranges::all_of(all, [&](const AtSize& one) { return one.keeps_up_with(rung); }))
      found.push_back(rung);
  }
  return found;
}

/// Of these rungs the fastest over all the sizes.
const Rung* fastest(const std::vector<const Rung*>& rungs, const std::vector<AtSize>& all) {
  return *std::ranges::min_element(rungs, {}, [&](const Rung* rung) {
    double sum = 0;
    for (const AtSize& one : all) sum += std::log(one.us_of_rung(rung));
    return sum;
  });
}

/// Of these rungs those within 5 % of this one at each size.
std::vector<const Rung*> as_fast_as(const Rung* first, const std::vector<const Rung*>& rungs,
                                    const std::vector<AtSize>& all) {
  std::vector<const Rung*> found;
  std::ranges::copy_if(rungs, std::back_inserter(found), [&](const Rung* rung) {
    return std::ranges::all_of(all, [&](const AtSize& one) {
      return std::abs(one.us_of_rung(rung) / one.us_of_rung(first) - 1) <= same_time;
    });
  });
  return found;
}

/// Of these rungs the nearest to yours over all the sizes.
const Rung* nearest(const std::vector<const Rung*>& rungs, const std::vector<AtSize>& all) {
  return *std::ranges::min_element(rungs, {}, [&](const Rung* rung) {
    double sum = 0;
    for (const AtSize& one : all) sum += one.apart(rung);
    return sum;
  });
}

/// The rungs that are level with yours at all of these sizes: at one there always is one. Between
/// two rungs it is the one that yours is nearer to at each size.
std::vector<const Rung*> level_at(const std::vector<AtSize>& all) {
  std::vector<const Rung*> rungs = kept_up_with(all), nearer;
  if (rungs.empty()) return rungs;
  const Rung* const level = fastest(rungs, all);
  for (const auto& [rung, us] : all.front().rungs_us) {
    const auto is_nearer = [&](const AtSize& one) { return one.apart(rung) < one.apart(level); };
    if (std::ranges::all_of(all, is_nearer)) nearer.push_back(rung);
  }
  if (nearer.empty()) return as_fast_as(level, rungs, all);
  for (const Rung* one : nearer)
    if (std::ranges::count(rungs, one) == 0) rungs.push_back(one);
  return as_fast_as(fastest({level, nearest(nearer, all)}, all), rungs, all);
}

/// Where yours keeps up with no rung at every size: of those at the worst one the rung that it is
/// nearest to elsewhere.
std::vector<const Rung*> level_at_worst(const AtSize& worst, const std::vector<AtSize>& all) {
  const std::vector<const Rung*> rungs = kept_up_with({worst});
  return as_fast_as(nearest(rungs, all), rungs, all);
}

/// The rung to aim for, if one is faster there.
const Rung* next_at(const AtSize& worst, const Rung& level) {
  const Rung* best = nullptr;
  double best_us = (1 - same_time) * worst.yours_us;
  for (const auto& [rung, us] : worst.rungs_us) {
    if (rung->number > level.number && us < (1 - same_time) * worst.yours_us) return rung;
    if (us >= best_us) continue;
    best = rung;
    best_us = us;
  }
  return best;
}

/// By measured or estimated times.
std::optional<Level> by_time(const std::vector<AtSize>& all, const std::vector<CountRow>& counts,
                             const std::vector<Rung>& rungs, const Rung* itself) {
  if (all.empty()) return {};
  const AtSize& worst = *std::ranges::min_element(all, {}, &AtSize::of_best);
  std::vector<const Rung*> as_fast = level_at(all);
  if (as_fast.empty()) as_fast = level_at_worst(worst, all);
  if (itself && std::ranges::find(as_fast, itself) == as_fast.end()) as_fast = {itself};
  const Rung* const rung = itself ? itself : nearest_by_counts(as_fast, counts);
  Level level{
      .rung = rung->number, .of = rungs.back().number, .name = rung->name, .size = worst.size};
  for (const Rung* one : as_fast) {
    if (one != rung) level.same.push_back(one->name);
  }
  for (const AtSize& one : all) {
    const std::vector<const Rung*> there = level_at({one});
    const bool is_level = std::ranges::find(there, rung) != there.end();
    level.sizes.push_back(
        {one.size, is_level ? rung->number : there.back()->number, one.of_best()});
    if (is_level) level.behind = std::max(level.behind, one.yours_us / one.us_of_rung(rung));
  }
  if (itself || level.behind <= 1 + same_time) level.behind = 1;
  level.of_best = (std::min(1.0, worst.of_best()) + 1 / typical_of_best(level)) / 2;
  if (const Rung* next = next_at(worst, *rung)) aim_for(*next, level);
  return level;
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

std::optional<Level> level_of(const Report& report, const std::vector<Rung>& rungs,
                              const Rung* itself) {
  if (rungs.empty()) return {};
  const auto timed = at_each_size(report.timing, rungs, true);
  if (const auto level = by_time(timed, report.counts, rungs, itself)) return level;
  // A rung without an estimate may be the nearest, or the best.
  const auto estimated = at_each_size(report.estimates, rungs, false);
  if (const auto level = by_time(estimated, report.counts, rungs, itself)) return level;
  return by_counts(report, rungs, itself);
}

}  // namespace kata
