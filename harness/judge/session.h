#pragma once
// Calls of an operator on several devices. The work of a call is queued in a stream of each device,
// between what the caller has queued there before and what the caller queues after it. Nothing else
// orders the devices, and nothing waits for them in between.

#include <vector>

#include "judge/call.h"

namespace kata {

/// A candidate on several devices of one process, and what stays from call to call.
class Session {
 public:
  Session(const Problem& problem, Device& device) : problem_(problem), device_(device) {}

  /// These come: scratch memory is as large as the largest of them needs.
  void expect(const std::vector<Case>& cases);

  /// The candidate is loaded afresh: its next call is the first.
  void begin();

  /// Calls `entry` so often in a row. Inputs and outputs get their values in the streams right
  /// before the first call; both are read, and then overwritten, in the streams right after the
  /// last. Waits then. Findings are those of the backend, inputs and guard zones that were written,
  /// and a current device that is another one than before.
  Outcome call(void* entry, const Case& one_case, const Inputs& inputs, const Buffers& buffers,
               Poison poison, int calls = 1);

  /// Calls `entry` once for each of these in a row, each with memory of its own, and waits only
  /// after the last. Findings are those of the backend. All of them are expected already.
  std::vector<Finding> call_in_turn(void* entry, const std::vector<Case>& cases,
                                    std::uint64_t seed);

 private:
  /// What is copied before and after calls that nobody has waited for.
  struct Queued {
    Buffers values, spoilt;
    std::optional<Finding> failed = {};
  };
  Queued queue(void* entry, const Case& one_case, const Inputs& inputs, const Buffers& buffers,
               Poison poison, int calls);
  Arguments arguments(const Case& one_case, const Buffers& buffers);
  std::optional<Finding> call_with(void* entry, const Arguments& arguments);

  const Problem& problem_;
  Device& device_;
  std::vector<Buffer> scratch_;  ///< none or one
  std::size_t calls_ = 0;
};

}  // namespace kata
