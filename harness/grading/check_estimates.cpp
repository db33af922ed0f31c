#include "grading/check_estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "grading/ladder.h"
#include "grading/registers.h"
#include "support/parallel.h"
#include "support/process.h"
#include "timing/measured_times.h"

namespace kata {
namespace {

using Profiles = std::vector<LaunchProfile>;

/// For each size. More blocks change few estimates by more than 2 %.
constexpr ProfilePrice price = {.enough_accesses = 1 << 21, .most_accesses = 1 << 24};
/// For one size, where no size has an estimate for that.
constexpr ProfilePrice last_price = {.enough_accesses = 1 << 21, .most_accesses = 1 << 26};

std::string too_expensive() {
  return fmt::format("one call makes more than {} million accesses, too many for the emulator",
                     price.most_accesses / 1'000'000);
}

Estimate row_of(const Problem& problem, const Shape& shape, const Chip& chip,
                const Result<Profiled>& made, const std::vector<KernelResources>& kernels) {
  if (!made) return {.chip = chip.id, .error = made.error().message};
  if (!made->launches)
    return {.chip = chip.id, .error = made->reason.empty() ? too_expensive() : made->reason};
  return estimate_of(*made->launches, kernels, problem.cost(shape), chip);
}

struct KeptRung {
  std::string name, key;
};

/// From what is kept of the rung; without an error where there is something.
Estimate kept_row(const Problem& problem, const Shape& shape, const Chip& chip,
                  const KeptRung& rung, const KeptProfiles& kept, bool with_registers) {
  const Profiled* const known = kept.find(rung.key, shape);
  const Profiles* const older = kept.older(rung.name, shape);
  const bool is_exact = known && known->launches;
  if (!is_exact && (known || !older))
    return {.chip = chip.id,
            .error = known ? known->reason.empty() ? too_expensive() : known->reason
                           : "no profile of this size is kept with the rungs"};
  Profiles launches = is_exact ? *known->launches : *older;
  if (!with_registers)
    for (LaunchProfile& one : launches) one.registers = 0;
  Estimate row = estimate_of(std::move(launches), {}, problem.cost(shape), chip);
  row.older = !is_exact;
  return row;
}

/// Places rungs without an estimate by their measured times.
void place_by_measured(const std::vector<TimingRow>& measured, std::vector<Estimate>& rungs) {
  const auto measured_us = [&](const Estimate& rung) {
    const TimingRow* const row = find_row(measured, rung.name);
    return row ? row->median_us : 0;
  };
  const Estimate* beside = nullptr;
  for (const Estimate& one : rungs) {
    if (!(one.us > 0) || !(measured_us(one) > 0)) continue;
    if (!beside || measured_us(one) < measured_us(*beside)) beside = &one;
  }
  if (!beside) return;
  const double scale = beside->us / measured_us(*beside);
  for (Estimate& one : rungs) {
    if (one.us > 0 || !(measured_us(one) > 0)) continue;
    one.us = scale * measured_us(one);
    one.placed = true;
    one.error.clear();
  }
}

/// Each size at its price; the size with the least work, if that is too little for all.
std::vector<Result<Profiled>> profiles_of(const Problem& problem, const std::vector<Shape>& shapes,
                                          const Estimated& yours) {
  std::vector<Result<Profiled>> made(shapes.size(), Error{"interrupted"});
  in_parallel(shapes.size(), [&](std::size_t i) {
    if (!interrupted()) made[i] = profile_within(problem, shapes[i], yours, price);
  });
  const auto is_too_expensive = [](const Result<Profiled>& one) {
    return one && !one->launches && one->reason.empty();
  };
  if (!std::ranges::all_of(made, is_too_expensive) || interrupted()) return made;
  const auto work_of = [&](const Shape& shape) { return work(problem.cost(shape)); };
  const auto least = std::ranges::min_element(shapes, {}, work_of);
  made[static_cast<std::size_t>(least - shapes.begin())] =
      profile_within(problem, *least, yours, last_price);
  return made;
}

}  // namespace

std::vector<Estimate> check_estimates(const Problem& problem, const std::vector<Shape>& shapes,
                                      const Chip& chip, const Estimated& yours,
                                      const GradeRequest& request) {
  request.say("estimating " + yours.name);
  const std::filesystem::path& path = request.candidate.path;
  const auto registers = registers_of({path}, chip);
  const auto found = registers.find(path);
  const auto kernels = found == registers.end() ? std::vector<KernelResources>() : found->second;
  const std::vector<Result<Profiled>> made = profiles_of(problem, shapes, yours);
  const KeptProfiles kept(problem);
  const Result<MeasuredTimes> measured = measured_times(problem);
  std::vector<KeptRung> all;
  for (const Rung& rung : ladder(problem.name)) all.push_back({rung.name, source_key(rung)});
  std::vector<Estimate> rows;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    Estimate own = row_of(problem, shape, chip, made[i], kernels);
    own.kind = yours.kind;
    own.name = yours.name;
    std::vector<Estimate> rungs;
    for (const KeptRung& rung : all) {
      rungs.push_back(kept_row(problem, shape, chip, rung, kept, own.registers > 0));
      rungs.back().name = rung.name;
    }
    if (measured) place_by_measured(rows_at(measured->rows, to_string(shape)), rungs);
    rows.push_back(std::move(own));
    rows.insert(rows.end(), rungs.begin(), rungs.end());
    for (std::size_t j = rows.size() - rungs.size() - 1; j < rows.size(); ++j)
      rows[j].size = to_string(shape);
  }
  return rows;
}

}  // namespace kata
