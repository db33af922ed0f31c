#pragma once
// Neighbours in shared memory that ptxas loads or stores at once.
//
// By the machine code of small kernels (tests/fidelity/merges.cu): loads, or stores, that fill an
// aligned piece of 2, 4, 8 or 16 bytes; loads also if they fill 12 of 16. The alignment has to
// follow from the source, and no access of the other kind may come between. What follows from the
// source holds in every execution: so here neighbours are one access if they were neighbours, for
// the same lanes and so aligned, whenever one of them ran.

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/runtime/count/instruction_counts.h"

namespace kata::emulator {

/// One instruction of several that may be one access.
struct MergePart {
  Instruction instruction;
  unsigned offset = 0;  ///< in the aligned piece, in bytes

  auto operator<=>(const MergePart&) const = default;
};

struct MergeKey {
  unsigned log2_width = 0;  ///< of the piece: 1 to 4
  std::vector<MergePart> parts;

  auto operator<=>(const MergeKey&) const = default;
};

/// What the warps would have asked for, had the parts been one access each time.
using MergeCounts = std::map<MergeKey, InstructionCount>;

/// Makes one access of those that were neighbours whenever they ran, in the counts of requests and
/// of the lanes' accesses. It belongs to the first of their instructions.
void merge_neighbours(const MergeCounts& merges, InstructionCounts& requests, Counts& accesses);

/// How far a lane has come. Accesses at one point may be one.
struct ProgramPoint {
  std::uint64_t iteration = 0;  ///< of the loops around it
  std::uint32_t run = 0;        ///< of accesses of one kind, one after the other

  auto operator<=>(const ProgramPoint&) const = default;
};

/// A warp's request that may be part of a wider one.
struct MergeCandidate {
  ProgramPoint when;
  Instruction instruction;
  Request request;
  std::uint64_t first_address = 0;  ///< of the first lane
};

/// The merges that the warps of an OS thread have shown.
class Merges {
 public:
  static bool may_merge(const Instruction& instruction);

  /// All candidates of a warp since its lanes met last, those at one point one after the other.
  /// `order` is their block's.
  void add(const std::vector<MergeCandidate>& candidates, std::uint64_t order);

  /// Adds what was counted since the last call.
  void take(MergeCounts& sum);

 private:
  struct Merge {
    MergeKey key;
    InstructionCount count;
  };

  using Candidates = std::span<const MergeCandidate* const>;

  void add_point(std::uint64_t order);
  void add_piece(Candidates piece, unsigned log2_width, std::uint64_t order);

  std::unordered_map<std::uint64_t, Merge> merges_;  ///< by a hash of the key
  std::vector<const MergeCandidate*> at_point_;      ///< the candidates of one point
  MergeKey key_;                                     ///< of a piece
};

}  // namespace kata::emulator
