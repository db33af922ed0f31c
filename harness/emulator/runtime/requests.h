#pragma once
// The accesses of a warp's lanes, put together to the requests that the warp would make. Lanes run
// one after the other here, so each access waits until the warp's others have come as far: to a
// barrier, a warp operation of all, the end.

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emulator/runtime/counts.h"
#include "emulator/runtime/wavefronts.h"

namespace kata::emulator {

/// The requests of one warp at one instruction. Lanes that are at the same iteration of the same
/// loops make one request.
class InstructionTrace {
 public:
  InstructionTrace() { clear(); }

  /// False: the table is full, and the lane has to wait until it has been emptied.
  bool add(unsigned lane, std::uint64_t iteration, std::uint32_t where);

  unsigned size() const { return size_; }
  Request request(unsigned i) const;
  void clear();

 private:
  static constexpr unsigned most = 4096;

  bool find_out_of_step(unsigned lane, std::uint64_t key, unsigned& i);
  void append(std::uint64_t key);
  void grow();

  unsigned size_ = 0;
  unsigned stride_ = 0;               ///< requests that there is room for
  std::vector<std::uint64_t> key_;    ///< of each request
  std::vector<std::uint32_t> lanes_;  ///< of each request
  std::vector<std::uint32_t> where_;  ///< of each lane, request by request: lanes write in streams
  // Of each lane: where its next access is likely to belong, the iteration that it was in last, and
  // how often it has been here in that iteration.
  std::array<std::uint32_t, 32> next_{}, visits_{};
  std::array<std::uint64_t, 32> last_{};
  /// Requests by key: made when lanes are out of step.
  std::unordered_map<std::uint64_t, unsigned> by_key_;
};

struct WarpTrace {
  std::vector<InstructionTrace> instructions;  ///< by number
  std::vector<unsigned> touched;               ///< numbers
};

/// What an OS thread knows about the requests of the warps that it runs.
class Requests {
 public:
  /// False: the lane has to wait until its warp has been counted.
  bool record(WarpTrace*& trace, unsigned lane, std::uint64_t iteration, AccessKind kind,
              unsigned log2_width, std::uint32_t where, const void* code) {
    if (!trace) [[unlikely]]
      trace = take();
    const unsigned number = number_of(code, kind, log2_width);
    if (trace->instructions.size() <= number) [[unlikely]]
      trace->instructions.resize(number + 16);
    InstructionTrace& instruction = trace->instructions[number];
    if (instruction.size() == 0) trace->touched.push_back(number);
    return instruction.add(lane, iteration, where);
  }

  /// Nothing that comes later belongs to these requests.
  void count(WarpTrace*& trace) {
    if (trace) [[unlikely]]
      count_all(trace);
  }
  /// The warp's launch has been ended.
  void drop(WarpTrace*& trace) {
    if (trace) [[unlikely]]
      put_back(trace);
  }

  RequestCounts take_counts();

 private:
  struct Instruction {
    std::uint64_t key = 0;  ///< 0: none
    AccessKind kind{};
    unsigned log2_width = 0;
  };

  WarpTrace* take();
  void count_all(WarpTrace*& trace);
  void put_back(WarpTrace*& trace);
  unsigned number_of(const void* code, AccessKind kind, unsigned log2_width);

  std::vector<std::unique_ptr<WarpTrace>> all_;
  std::vector<WarpTrace*> spare_;  ///< the one used last comes first: its memory is warm
  std::vector<Instruction> instructions_;
  std::unordered_map<std::uint64_t, unsigned> numbers_;
  struct Known {
    std::uint64_t key = 0;
    unsigned number = 0;
  };
  std::array<Known, 256> recent_{};
  RequestCounts counts_{};
};

}  // namespace kata::emulator
