// Counters of 16 bits: what the first block of a large launch, alone, makes of inputs that are all
// 0.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "judge/case_judge.h"
#include "judge/large_cases.h"
#include "judge/shapes.h"

namespace kata {
namespace {

constexpr std::uint64_t range = 1 << 16;

/// How many elements a block counts, and what it leaves in memory.
struct Share {
  std::uint64_t elements;
  std::vector<std::uint32_t> words;  ///< up to `elements`

  bool is_counted() const { return std::ranges::binary_search(words, elements); }

  /// The number, less a multiple of 2^16 and at no place whole: as 2^16 itself, a part of the
  /// elements that is counted apart, would be.
  bool is_cut_off() const {
    const auto has = [&](std::uint64_t rest) {
      return std::ranges::any_of(words, [&](std::uint32_t word) { return word % range == rest; });
    };
    return elements % range != 0 && !is_counted() && has(elements % range) && !has(0);
  }
};

Share share_of(const Problem& problem, const FirstReads& reads) {
  Share share{reads.most_bytes / size_of(problem.signature.inputs.front().type), reads.words};
  std::erase_if(share.words, [&](std::uint32_t word) { return word > share.elements; });
  return share;
}

}  // namespace

/// Of the launch in which the first block reads most of the inputs. If it was ended early there, it
/// has counted less than it read.
std::optional<FirstReads> CaseJudge::most_of_first_block(const Shape& shape) {
  Sample sample = sample_of_zeros({shape}, Blocks::first);
  const auto most = std::ranges::max_element(sample.reads, {}, &FirstReads::most_bytes);
  if (most == sample.reads.end()) return {};
  return std::move(*most);
}

bool CaseJudge::check_counters() {
  constexpr double shares[] = {0.6, 0.85};  // of what 16 bits count
  constexpr int least = 1 << 24;            // a grid that is limited has some hundred blocks
  const std::vector<Parameter>& sizes = problem_.signature.integers;
  for (std::size_t i = 0; i < sizes.size() && !has_structure(problem_); ++i) {
    if (sizes[i].most < least) continue;
    const auto with = [&](double size) {
      Shape shape = small_shape(problem_, 1);
      shape[i] = static_cast<int>(size);
      return legal(problem_, shape);
    };
    const double size = sizes[i].most * 0.93;  // whose shares are no multiples of 2^16
    const auto share_at = [&](double of_size) -> std::optional<Share> {
      const auto reads = most_of_first_block(with(of_size));
      return reads ? std::optional(share_of(problem_, *reads)) : std::nullopt;
    };
    const std::optional<Share> large = share_at(size);
    if (!large || !large->is_cut_off()) continue;
    const bool is_counter = std::ranges::all_of(shares, [&](double part) {
      const double elements = part * static_cast<double>(range);
      const auto small = share_at(size * elements / static_cast<double>(large->elements));
      return small && small->elements < range && small->is_counted();
    });
    if (!is_counter) continue;
    const Case one{with(size)};
    return failed(one, fmt::format("where all inputs are 0, the first block reads {} of them and "
                                   "leaves that number less a multiple of 65536: does a counter "
                                   "have 16 bits?",
                                   large->elements));
  }
  return true;
}

}  // namespace kata
