#pragma once
// The accesses of a warp's lanes, put together to the requests that the warp would make. Lanes run
// one after the other here, so each access waits until the warp's others have come as far: to a
// barrier, a warp operation of all, the end.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/runtime/count/instruction_counts.h"
#include "emulator/runtime/count/merges.h"

namespace kata::emulator {

/// An instruction as one number, never 0. Volatile accesses are not plain.
inline std::uint64_t packed(const void* code, AccessKind kind, unsigned log2_width, bool is_plain,
                            unsigned copy) {
  return std::uint64_t{copy} << 56 | reinterpret_cast<std::uint64_t>(code) << 8 |
         static_cast<unsigned>(kind) << 4 | log2_width << 1 | (is_plain ? 1 : 0);
}

/// Of a packed predicate: as those see it that need its truth, or its falsehood.
inline std::uint64_t side_of(std::uint64_t predicate, bool value) {
  return predicate | (value ? 2 : 0);
}

/// What the lanes of a warp have asked of memory since they met last: a sequence of steps, each an
/// instruction in one iteration of the loops round it. As a rule every lane takes the same steps,
/// and its next one is where it is looked for. Lanes at the same step make one request.
class WarpTrace {
 public:
  WarpTrace() { grow(); }

  /// False: the sequence is full, and the lane has to wait until it has been counted.
  bool add(unsigned lane, std::uint64_t instruction, std::uint64_t iteration,
           std::uint64_t address) {
    unsigned i = next_[lane];
    if (!steps_[i].awaits(lane, instruction, iteration)) [[unlikely]] {
      i = find(lane, instruction, iteration, address);
      if (i == none) return false;
    }
    steps_[i].lanes |= 1u << lane;
    where_[lane * stride_ + i] = static_cast<std::uint32_t>(address);
    next_[lane] = i + 1;
    return true;
  }

  unsigned size() const { return size_; }
  /// Of stores by copies, which read where the step before them says: how they do. Of accesses by
  /// ldmatrix and stmatrix: that. Nothing for other steps.
  std::optional<AccessKind> source(unsigned i) const;
  /// Whether the step is the loads of such copies: their stores are two steps on.
  bool feeds_bypass(unsigned i) const;
  std::uint64_t instruction(unsigned i) const { return steps_[i].instruction; }
  /// The predicate that the step was made under, packed; 0: none.
  std::uint64_t predicate(unsigned i) const { return steps_[i].predicate; }
  /// The steps of the lane are made under that one from now on.
  void set_predicate(unsigned lane, std::uint64_t predicate) { predicate_[lane] = predicate; }
  /// A thread may have ended where one held.
  void forget_predicates() { predicate_.fill(0); }
  ProgramPoint point(unsigned i) const { return {steps_[i].iteration, steps_[i].run.number}; }
  Request request(unsigned i) const;
  void clear();

 private:
  static constexpr unsigned most = 4096, most_of_laggards = 5000;
  static constexpr unsigned none = ~0u;

  /// Loads of shared memory, or stores, with nothing else of it between them.
  struct Run {
    AccessKind kind = AccessKind::global_load;
    std::uint32_t number = 0;
  };
  struct Step {
    std::uint64_t instruction;  ///< packed; 0: the end of the steps
    std::uint64_t iteration;
    std::uint64_t first;  ///< address of the first lane: the others lie within 2 GiB of it
    std::uint64_t predicate;
    std::uint32_t lanes;
    unsigned again;  ///< the next step that differs in nothing, for lanes that come twice
    Run run;         ///< of the first lane, up to here

    bool awaits(unsigned lane, std::uint64_t other, std::uint64_t now) const {
      return instruction == other && iteration == now && !(lanes >> lane & 1);
    }
  };
  struct Chain {
    unsigned first, last;
  };

  unsigned find(unsigned lane, std::uint64_t instruction, std::uint64_t iteration,
                std::uint64_t address);
  bool may_append(unsigned lane) const;
  unsigned find_out_of_step(unsigned lane, std::uint64_t instruction, std::uint64_t iteration);
  unsigned append(unsigned lane, std::uint64_t instruction, std::uint64_t iteration,
                  std::uint64_t address);
  void index(unsigned i);
  void grow();

  unsigned size_ = 0;
  unsigned stride_ = 0;  ///< steps that there is room for
  std::array<unsigned, 32> next_{};
  std::array<std::uint64_t, 32> predicate_{};
  std::vector<Step> steps_;
  std::vector<std::uint32_t> where_;  ///< of each lane, step by step: lanes write in streams
  std::uint32_t runs_ = 0;
  bool in_step_ = true;   ///< every lane has taken the steps in their order
  unsigned indexed_ = 0;  ///< steps that `chains_` knows
  std::unordered_map<std::uint64_t, Chain> chains_;  ///< of equal steps
};

/// What an OS thread knows about the requests of the warps that it runs.
class Requests {
 public:
  /// An empty one, until it is put back.
  WarpTrace* take();
  void put_back(WarpTrace*& trace);

  /// Nothing that comes later belongs to these requests. `order` is their block's, in the schedule.
  void count(WarpTrace* trace, std::uint64_t order) {
    if (trace && trace->size() > 0) count_all(*trace, order);
  }

  /// Adds what was counted since the last call.
  void take_counts(InstructionCounts& sum, MergeCounts& merges);

 private:
  struct Known {
    std::uint64_t instruction = 0;
    unsigned number = 0;
  };

  void count_all(WarpTrace& trace, std::uint64_t order);
  void count_predicate(std::uint64_t instruction, const Request& request);
  unsigned number_of(std::uint64_t instruction);

  std::vector<std::unique_ptr<WarpTrace>> all_;
  std::vector<WarpTrace*> spare_;          ///< the one used last comes first: its memory is warm
  std::vector<Instruction> instructions_;  ///< by number
  std::vector<InstructionCount> counts_;   ///< by number
  std::unordered_map<std::uint64_t, unsigned> numbers_;
  std::array<Known, 256> recent_{};
  Merges merges_;
  std::vector<MergeCandidate> candidates_;  ///< of the warp that is counted
};

}  // namespace kata::emulator
