#pragma once
// The accesses of a warp's lanes, put together to the requests that the warp would make. Lanes run
// one after the other here, so each access waits until the warp's others have come as far: to a
// barrier, a warp operation of all, the end.

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emulator/runtime/instruction_counts.h"
#include "emulator/runtime/merges.h"

namespace kata::emulator {

inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  ///< spreads bits

/// The requests of one warp at one instruction. Lanes that are at the same iteration of the same
/// loops make one request.
class InstructionTrace {
 public:
  InstructionTrace() { clear(); }

  /// `first` is an address of the requests to come: the others lie within 2 GiB of it.
  void begin(std::uint64_t first) {
    base_ = (first & ~std::uint64_t{127}) - (std::uint64_t{1} << 31);
  }

  /// False: the table is full, and the lane has to wait until it has been emptied.
  bool add(unsigned lane, std::uint64_t iteration, std::uint64_t address, std::uint32_t run) {
    Lane& me = lane_[lane];
    me.visits = iteration == me.iteration ? me.visits + 1 : 0;
    me.iteration = iteration;
    const std::uint64_t key = iteration + me.visits * golden;
    unsigned i = me.next;
    if (i < size_) {
      if (made_[i].key != key || (made_[i].lanes >> lane & 1)) [[unlikely]]
        i = find_out_of_step(lane, key, {iteration, run});
    } else if (by_key_.empty()) {
      append(key, {iteration, run});
    } else {
      i = find_out_of_step(lane, key, {iteration, run});
    }
    made_[i].lanes |= 1u << lane;
    where_[lane * stride_ + i] = static_cast<std::uint32_t>(address - base_);
    me.next = i + 1;
    return i + 1 < most;
  }

  unsigned size() const { return size_; }
  Request request(unsigned i) const;
  MergeCandidate candidate(unsigned i, const Instruction& instruction) const {
    return {made_[i].when, instruction, request(i)};
  }
  void clear();

 private:
  static constexpr unsigned most = 4096;

  struct Made {
    std::uint64_t key;
    std::uint32_t lanes;
    Moment when;  ///< of the first lane
  };
  struct Lane {
    std::uint64_t iteration = ~std::uint64_t{0};  ///< that it was in last
    std::uint32_t visits = 0;                     ///< to this instruction before, in that iteration
    std::uint32_t next = 0;                       ///< the request that it is likely to be part of
  };

  unsigned find_out_of_step(unsigned lane, std::uint64_t key, const Moment& when);
  void append(std::uint64_t key, const Moment& when);
  void grow();

  std::uint64_t base_ = 0;
  unsigned size_ = 0;
  unsigned stride_ = 0;  ///< requests that there is room for
  std::vector<Made> made_;
  std::vector<std::uint32_t> where_;  ///< of each lane, request by request: lanes write in streams
  std::array<Lane, 32> lane_;
  /// Requests by key: made when lanes are out of step.
  std::unordered_map<std::uint64_t, unsigned> by_key_;
};

/// Loads of shared memory, or stores, with nothing else of it between them.
struct SharedRun {
  AccessKind kind{};
  std::uint32_t number = 0;

  void add(AccessKind next, bool is_plain) {
    number += next != kind || !is_plain;
    kind = is_plain ? next : AccessKind::shared_atomic;
  }
};

struct WarpTrace {
  std::vector<InstructionTrace> instructions;  ///< by number
  std::vector<unsigned> touched;               ///< numbers
  std::array<SharedRun, 32> runs{};            ///< by lane
};

/// What an OS thread knows about the requests of the warps that it runs.
class Requests {
 public:
  /// `address` is the offset in the arena or in the block's shared memory; volatile accesses are
  /// not plain. False: the lane has to wait until its warp has been counted.
  bool record(WarpTrace*& trace, unsigned lane, std::uint64_t iteration, AccessKind kind,
              unsigned log2_width, std::uint64_t address, bool is_plain, const void* code) {
    if (!trace) [[unlikely]]
      trace = take();
    const unsigned number = number_of(code, kind, log2_width);
    if (trace->instructions.size() <= number) [[unlikely]]
      trace->instructions.resize(number + 16);
    InstructionTrace& instruction = trace->instructions[number];
    if (instruction.size() == 0) {
      trace->touched.push_back(number);
      instruction.begin(address);
    }
    SharedRun& run = trace->runs[lane];
    if (is_shared(kind)) run.add(kind, is_plain);
    return instruction.add(lane, iteration, address, run.number);
  }

  /// Nothing that comes later belongs to these requests. `order` is their block's, in the schedule.
  void count(WarpTrace*& trace, std::uint64_t order) {
    if (trace) [[unlikely]]
      count_all(trace, order);
  }
  /// The warp's launch has been ended.
  void drop(WarpTrace*& trace) {
    if (trace) [[unlikely]]
      put_back(trace);
  }

  /// Adds what was counted since the last call.
  void take_counts(InstructionCounts& sum, MergeCounts& merges);

 private:
  struct Known {
    std::uint64_t key = 0;
    unsigned number = 0;
  };

  WarpTrace* take();
  void count_all(WarpTrace*& trace, std::uint64_t order);
  void put_back(WarpTrace*& trace);
  unsigned number_of(const void* code, AccessKind kind, unsigned log2_width) {
    const std::uint64_t key =
        reinterpret_cast<std::uint64_t>(code) << 6 | static_cast<unsigned>(kind) << 3 | log2_width;
    Known& known = recent_[key * golden >> 56];
    if (known.key == key) [[likely]]
      return known.number;
    return learn(known, key, {code, kind, log2_width});
  }
  unsigned learn(Known& known, std::uint64_t key, const Instruction& instruction);

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
