#include "emulator/runtime/count/merges.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "emulator/runtime/count/lanes.h"

namespace kata::emulator {
namespace {

bool is_load(const MergePart& part) {
  return part.instruction.kind == AccessKind::shared_load;
}

std::uint64_t hash_of(const MergeKey& key) {
  std::uint64_t hash = key.log2_width;
  for (const MergePart& part : key.parts) {
    hash = (hash ^ reinterpret_cast<std::uint64_t>(part.instruction.code)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29 ^ part.offset << 3 ^ part.instruction.log2_width ^
            std::uint64_t{part.instruction.copy} << 40;
  }
  return hash;
}

/// Whether the lanes' places show an alignment that follows from the source: that of every second
/// lane, which a branch has chosen, does not. Where all iterations of a loop agree, that is another
/// matter.
bool shows_alignment(const Request& request) {
  bool found = request.lanes == ~0u || std::has_single_bit(request.lanes);
  for_each_lane(request.lanes & request.lanes >> 1,
                [&](unsigned lane) { found |= request.where[lane] != request.where[lane + 1]; });
  return found;
}

/// Whether the parts fill what ptxas wants filled.
bool fill(const MergeKey& key) {
  unsigned bytes = 0;  // one bit each
  for (const MergePart& part : key.parts) {
    if (part.instruction.log2_width >= key.log2_width) return false;
    bytes |= ((1u << (1u << part.instruction.log2_width)) - 1) << part.offset;
  }
  const auto filled = static_cast<unsigned>(std::popcount(bytes));
  const bool is_widest_load = key.log2_width == 4 && is_load(key.parts.front());
  return filled >= (is_widest_load ? 12 : 1u << key.log2_width);
}

/// Whether in all lanes `other` lies as far from `one` as it does in the first.
bool keep_their_distance(const Request& one, const Request& other) {
  const auto lane = static_cast<unsigned>(std::countr_zero(one.lanes));
  const std::uint32_t distance = other.where[lane] - one.where[lane];
  std::uint32_t off = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t takes_part = 0 - (one.lanes >> i & 1);
    off |= ((other.where[i] - one.where[i]) ^ distance) & takes_part;
  }
  return off == 0;
}

/// Whether all lanes have theirs as far inside an aligned piece as the first has.
bool are_equally_aligned(const Request& request, std::uint32_t inside) {
  const std::uint32_t first = request.where[static_cast<unsigned>(std::countr_zero(request.lanes))];
  std::uint32_t off = 0;
  for (unsigned i = 0; i < 32; ++i)
    off |= (request.where[i] ^ first) & inside & (0 - (request.lanes >> i & 1));
  return off == 0;
}

/// Whether none of the parts ever ran without the others.
bool was_always(const MergeKey& key, const InstructionCount& made, const InstructionCounts& all) {
  return std::all_of(key.parts.begin(), key.parts.end(), [&](const MergePart& part) {
    const auto pieces =  // of a structure that is copied as a whole: all by one instruction
        std::count_if(key.parts.begin(), key.parts.end(), [&](const MergePart& other) {
          return other.instruction == part.instruction;
        });
    const auto found = all.find(part.instruction);
    return found != all.end() &&
           found->second.requests == made.requests * static_cast<std::uint64_t>(pieces);
  });
}

/// Of parts in one copy of a loop's body: what a lane alone had side by side follows from the
/// source if a lane alone ran every copy, and not if the last copies of a tree have one lane left.
bool is_for_one_lane(const MergeKey& key, const InstructionCount& made,
                     const InstructionCounts& all) {
  const Instruction& first = key.parts.front().instruction;
  const bool in_one_copy = std::ranges::all_of(
      key.parts, [&](const MergePart& part) { return part.instruction.copy == first.copy; });
  if (first.copy == 0 || !in_one_copy || made.accesses != made.requests) return true;
  Instruction copy = first;
  copy.copy = 0;
  for (auto one = all.lower_bound(copy); one != all.end() && one->first.code == first.code; ++one) {
    if (one->second.accesses != one->second.requests) return false;
  }
  return true;
}

auto place_of(const MergeCandidate* one) {
  return std::tuple(one->instruction.kind, one->request.lanes, one->first_address,
                    one->instruction);
}

bool in_one_piece(const MergeCandidate& a, const MergeCandidate& b, unsigned log2_width) {
  return a.instruction.kind == b.instruction.kind && a.request.lanes == b.request.lanes &&
         a.first_address >> log2_width == b.first_address >> log2_width;
}

}  // namespace

bool Merges::may_merge(const Instruction& instruction) {
  const bool shared =
      instruction.kind == AccessKind::shared_load || instruction.kind == AccessKind::shared_store;
  return shared && instruction.log2_width < 4;
}

void Merges::add(const std::vector<MergeCandidate>& candidates, std::uint64_t order) {
  for (const MergeCandidate& one : candidates) {
    if (!at_point_.empty() && at_point_.back()->when != one.when) add_point(order);
    at_point_.push_back(&one);
  }
  add_point(order);
}

void Merges::add_point(std::uint64_t order) {
  std::sort(at_point_.begin(), at_point_.end(),
            [](const auto* a, const auto* b) { return place_of(a) < place_of(b); });
  const Candidates all = at_point_;
  for (const unsigned log2_width : {1u, 2u, 3u, 4u}) {
    for (std::size_t first = 0, end; first < all.size(); first = end) {
      end = first + 1;
      while (end < all.size() && in_one_piece(*all[first], *all[end], log2_width)) ++end;
      if (end - first > 1) add_piece(all.subspan(first, end - first), log2_width, order);
    }
  }
  at_point_.clear();
}

void Merges::add_piece(Candidates piece, unsigned log2_width, std::uint64_t order) {
  const std::uint32_t inside = (1u << log2_width) - 1;
  key_.log2_width = log2_width;
  key_.parts.clear();
  for (const MergeCandidate* one : piece)
    key_.parts.push_back({one->instruction, static_cast<unsigned>(one->first_address & inside)});
  Request request = piece.front()->request;
  if (!fill(key_) || !are_equally_aligned(request, inside)) return;
  if (key_.parts.front().instruction.copy != 0 && !shows_alignment(request)) return;
  for (const MergeCandidate* one : piece) {
    if (!keep_their_distance(request, one->request)) return;
  }
  for (std::uint32_t& where : request.where) where &= ~inside;
  const Transfers transfers = wavefronts(request, 1u << log2_width, is_load(key_.parts.front()));
  Merge& merge = merges_[hash_of(key_)];
  if (merge.key.parts.empty()) merge.key = key_;
  merge.count.add(request, transfers, order);
}

void Merges::take(MergeCounts& sum) {
  for (auto& [hash, merge] : merges_) sum[merge.key].merge(merge.count);
  merges_.clear();
}

void merge_neighbours(const MergeCounts& merges, InstructionCounts& requests, Counts& accesses) {
  for (auto merge = merges.rbegin(); merge != merges.rend(); ++merge) {  // the widest first
    const auto& [key, made] = *merge;
    if (!was_always(key, made, requests) || !is_for_one_lane(key, made, requests)) continue;
    Instruction whole = key.parts.front().instruction;
    const Instruction predicate = requests.at(whole).predicate;
    for (const MergePart& part : key.parts) {
      const auto found = requests.find(part.instruction);
      if (found == requests.end()) continue;  // a piece before has taken it out
      accesses.of(whole.kind, part.instruction.log2_width) -= found->second.accesses;
      whole.code = std::min(whole.code, part.instruction.code);
      requests.erase(found);
    }
    whole.log2_width = key.log2_width;
    accesses.of(whole.kind, whole.log2_width) += made.accesses;
    InstructionCount& count = requests[whole];
    count.merge(made);
    count.predicate = predicate;
  }
}

}  // namespace kata::emulator
