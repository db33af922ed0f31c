// Steps between the launches of a call: one block, or a few, that go through what the blocks before
// them have left, as a scan of the sums of tiles does.

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

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
  const std::size_t both = std::min(a.reads.size(), b.reads.size());
  const bool were_ended = !a.is_whole && !b.is_whole;
  return (a.reads.size() == b.reads.size() || were_ended) &&
         std::equal(a.reads.begin(), a.reads.begin() + static_cast<std::ptrdiff_t>(both),
                    b.reads.begin(), [](const FirstReads& one, const FirstReads& other) {
                      return one.kernel == other.kernel;
                    });
}

}  // namespace

Sample CaseJudge::steps_of(const Case& one_case) {
  const Buffers buffers = allocate(problem_, one_case.shape, device_);
  if (!buffers.complete) return {};
  events_.tried(one_case, most_s_of_a_sample);
  zero_unread_inputs(problem_, buffers, device_);
  return call_sampled(one_case, buffers, Blocks::few_briefly).second;
}

bool CaseJudge::check_steps(const std::vector<Case>& largest) {
  if (!has_steps_ || has_structure(problem_)) return true;
  // One for each size that comes first: the others differ in what tiles leave over.
  for (const Case& one : largest | std::views::take(problem_.signature.integers.size())) {
    const Sample now = steps_of(one);
    if (std::ranges::none_of(now.reads, &FirstReads::short_of_last)) continue;
    const Case smaller{far_smaller(problem_, one.shape), one.values};
    const Sample before = steps_of(smaller);
    if (!have_same_launches(now, before)) continue;
    for (std::size_t i = 0; i < std::min(now.reads.size(), before.reads.size()); ++i) {
      const FirstReads &step = now.reads[i], &was = before.reads[i];
      if (!step.short_of_last || was.short_of_last || !was.from_first_to_last ||
          step.blocks != was.blocks)
        continue;
      events_.finished(
          {.name = name_of(problem_, one),
           .tested = one,
           .verdict = Verdict::fail,
           .of = output_elements(problem_, one.shape),
           .explanation = fmt::format(
               "{} uses the first but not the last of what the blocks before it left in a buffer, "
               "and does at {}: is what {} with the results of others too small for this size?",
               step.kernel, name_of(problem_, smaller),
               step.blocks == 1 ? "one block does" : "so few blocks do")});
      return false;
    }
  }
  return true;
}

}  // namespace kata
