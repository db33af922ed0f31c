// Steps between the launches of a call: one block, or a few, that go through what the blocks before
// them have left, as a scan of the sums of tiles does.

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "judge/case_judge.h"
#include "judge/large_cases.h"
#include "judge/shapes.h"

namespace kata {
namespace {

/// Sizes at which there are far fewer tiles, and tiles leave as much over.
Shape far_smaller(const Problem& problem, Shape shape) {
  constexpr int large = 1 << 12, times = 64;
  for (int& size : shape)
    if (size >= large) size = size / times + size % 2;
  return legal(problem, shape);
}

/// Whether both calls made the same launches, as far as they came: what one launch leaves out no
/// other one is there for.
bool have_same_launches(const Sample& a, const Sample& b) {
  const auto [in_a, in_b] =
      std::ranges::mismatch(a.reads, b.reads, {}, &FirstReads::kernel, &FirstReads::kernel);
  const bool all_of_a = in_a == a.reads.end(), all_of_b = in_b == b.reads.end();
  return (all_of_a && (all_of_b || !a.has_returned)) || (all_of_b && !b.has_returned);
}

}  // namespace

bool CaseJudge::check_steps(const std::vector<Case>& largest) {
  if (!has_steps_ || has_structure(problem_)) return true;
  // One for each size that comes first: the others differ in what tiles leave over.
  const std::size_t first = std::min(largest.size(), problem_.signature.integers.size());
  for (const Case& one : std::span(largest).first(first)) {
    const Sample now = sample_of_zeros(one, Blocks::few_briefly);
    const auto stops = [](const FirstReads& step) { return !step.short_of_last.empty(); };
    if (std::ranges::none_of(now.reads, stops)) continue;
    const Case smaller{far_smaller(problem_, one.shape), one.values};
    const Sample before = sample_of_zeros(smaller, Blocks::few_briefly);
    if (!have_same_launches(now, before)) continue;
    for (std::size_t i = 0; i < std::min(now.reads.size(), before.reads.size()); ++i) {
      const FirstReads &step = now.reads[i], &was = before.reads[i];
      const auto reached = [&](std::uintptr_t store) { return was.reaches_last.contains(store); };
      if (step.blocks != was.blocks || std::ranges::none_of(step.short_of_last, reached)) continue;
      return failed(
          one, fmt::format(
                   "{} uses the first but not the last of what the blocks before it left in "
                   "an array, and does at {}: is what {} with the results of others too small for "
                   "this size?",
                   step.kernel, name_of(problem_, smaller),
                   step.blocks == 1 ? "one block does" : "so few blocks do"));
    }
  }
  return true;
}

}  // namespace kata
