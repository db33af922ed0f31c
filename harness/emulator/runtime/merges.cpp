#include "emulator/runtime/merges.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace kata::emulator {
namespace {

bool is_load(const MergePart& part) {
  return part.instruction.kind == AccessKind::shared_load;
}

std::uint64_t hash_of(const MergeKey& key) {
  std::uint64_t hash = key.log2_width;
  for (const MergePart& part : key.parts) {
    hash = (hash ^ reinterpret_cast<std::uint64_t>(part.instruction.code)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29 ^ part.offset << 3 ^ part.instruction.log2_width;
  }
  return hash;
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

/// Whether all lanes have the parts of `key` in one piece each.
bool all_lanes_agree(const MergeCandidate* first, const MergeKey& key) {
  const std::uint64_t inside = (1u << key.log2_width) - 1;
  for (unsigned lanes = first->request.lanes; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint64_t piece = first->request.address(lane) & ~inside;
    for (std::size_t i = 0; i < key.parts.size(); ++i) {
      if (first[i].request.address(lane) != piece + key.parts[i].offset) return false;
    }
  }
  return true;
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

auto place_of(const MergeCandidate& one) {
  return std::tuple(one.instruction.kind, one.when, one.request.lanes, one.first_address(),
                    one.instruction);
}

bool in_one_piece(const MergeCandidate& a, const MergeCandidate& b, unsigned log2_width) {
  return a.instruction.kind == b.instruction.kind && a.when == b.when &&
         a.request.lanes == b.request.lanes &&
         a.first_address() >> log2_width == b.first_address() >> log2_width;
}

}  // namespace

std::uint64_t MergeCandidate::first_address() const {
  return request.address(static_cast<unsigned>(std::countr_zero(request.lanes)));
}

bool Merges::may_merge(const Instruction& instruction) {
  const bool shared =
      instruction.kind == AccessKind::shared_load || instruction.kind == AccessKind::shared_store;
  return shared && instruction.log2_width < 4;
}

void Merges::add(std::vector<MergeCandidate>& candidates, std::uint64_t order) {
  std::sort(candidates.begin(), candidates.end(),
            [](const auto& a, const auto& b) { return place_of(a) < place_of(b); });
  const MergeCandidate* const end = candidates.data() + candidates.size();
  for (const unsigned log2_width : {1u, 2u, 3u, 4u}) {
    for (const MergeCandidate* first = candidates.data(); first != end;) {
      const MergeCandidate* last = first + 1;
      while (last != end && in_one_piece(*first, *last, log2_width)) ++last;
      if (last - first > 1) add_piece(first, last, log2_width, order);
      first = last;
    }
  }
}

void Merges::add_piece(const MergeCandidate* first, const MergeCandidate* last, unsigned log2_width,
                       std::uint64_t order) {
  MergeKey key{log2_width, {}};
  const std::uint64_t inside = (1u << log2_width) - 1;
  for (const MergeCandidate* one = first; one != last; ++one)
    key.parts.push_back({one->instruction, static_cast<unsigned>(one->first_address() & inside)});
  if (!fill(key) || !all_lanes_agree(first, key)) return;
  Request request = first->request;
  for (std::uint32_t& where : request.where) where &= ~static_cast<std::uint32_t>(inside);
  const Transfers transfers = wavefronts(request, 1u << log2_width, is_load(key.parts.front()));
  Merge& merge = merges_[hash_of(key)];
  if (merge.key.parts.empty()) merge.key = std::move(key);
  merge.count.add(request, transfers, order);
}

void Merges::take(MergeCounts& sum) {
  for (auto& [hash, merge] : merges_) sum[merge.key].merge(merge.count);
  merges_.clear();
}

void merge_neighbours(const MergeCounts& merges, InstructionCounts& requests, Counts& accesses) {
  for (auto merge = merges.rbegin(); merge != merges.rend(); ++merge) {  // the widest first
    const auto& [key, made] = *merge;
    if (!was_always(key, made, requests)) continue;
    Instruction whole = key.parts.front().instruction;
    for (const MergePart& part : key.parts) {
      const auto found = requests.find(part.instruction);
      if (found == requests.end()) continue;  // a piece before has taken it out
      accesses.of(whole.kind, part.instruction.log2_width) -= found->second.accesses;
      whole.code = std::min(whole.code, part.instruction.code);
      requests.erase(found);
    }
    whole.log2_width = key.log2_width;
    accesses.of(whole.kind, whole.log2_width) += made.accesses;
    requests[whole].merge(made);
  }
}

}  // namespace kata::emulator
