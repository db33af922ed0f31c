#pragma once
// What the judge needs of a backend, and all that it knows of one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "problems/spec/types.h"
#include "report/report.h"

struct CUstream_st;

namespace kata {

/// A copy that the candidate has made between device memory and memory that the host can use.
struct HostCopy {
  enum class Direction { to_host, from_host };

  const void* device = nullptr;
  std::size_t bytes = 0;
  Direction direction = Direction::to_host;
  std::string file = {};
  int line = 0;
};

/// Which blocks of a launch run: some, or more of them to their end; a few, or the first one, do so
/// to their end, or briefly, and what the others write is taken to be 0.
enum class Blocks { all, some, more, few, few_briefly, first, none };

/// What blocks of a launch were the first to read, of what nothing had written.
struct FirstReads {
  std::uint64_t blocks = 0;      ///< all of the launch
  std::uint64_t most_bytes = 0;  ///< of one that ran
  /// With Blocks::first: the words up to most_bytes that it left in global memory, large buffers
  /// apart, ascending; empty if they are many.
  std::vector<std::uint32_t> words = {};
  /// Where all blocks of the launch ran to their end: the stores of earlier ones, as offsets in the
  /// module, of whose words in memory of the candidate's they used the first and the last, or the
  /// first alone.
  std::set<std::uintptr_t> reaches_last = {}, short_of_last = {};
  std::string kernel = {};
};

/// What some blocks of a call's launches have written to outputs.
struct Sample {
  bool is_whole = true;                ///< nothing that ran was ended early
  bool has_returned = true;            ///< the function was not
  std::vector<FirstReads> reads = {};  ///< of each launch, where other blocks write zeros
  /// Whether what they wrote is what the whole call would leave there. Of the one launch that
  /// writes outputs then:
  bool is_final = false;
  std::uint64_t blocks = 0, ran = 0;        ///< all blocks, and some
  std::uint64_t bytes = 0, most_bytes = 0;  ///< that these wrote, that one of them wrote
  std::vector<const void*> pages = {};      ///< of page_bytes, ascending
  /// By name: whether blocks that ran have read or written global memory.
  std::map<std::string, bool> kernels = {};

  static constexpr std::size_t page_bytes = 4096;
};

/// A place to run a candidate. Every buffer has guard zones round it.
class Device {
 public:
  virtual ~Device() = default;

  /// "emulator" or the GPU's name.
  virtual std::string name() const = 0;

  /// Whether a problem's large cases run here too: they take too long to emulate.
  virtual bool runs_large_cases() const = 0;

  /// `count` elements of device memory for the tensor of that name, or null when there is not
  /// enough.
  virtual void* allocate(Type type, std::size_t count, const std::string& name) = 0;
  virtual void release(void* buffer) = 0;

  virtual void upload(void* buffer, const void* host, std::size_t bytes) = 0;
  virtual void download(void* host, const void* buffer, std::size_t bytes) = 0;

  /// From device memory to device memory.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;

  /// What was uploaded is an input: where the backend tracks it, a write is an error.
  virtual void make_input(void* /*buffer*/, std::size_t /*bytes*/) {}

  /// Fills with a word (judge/poison.h), of which the last may be cut off, and, where the backend
  /// tracks it, marks as never written.
  virtual void poison(void* buffer, std::size_t bytes, std::uint32_t word) = 0;

  /// The work of the next calls (problems/spec/problem.h), where the backend ends endless loops.
  virtual void expect_work(double /*work*/) {}

  /// Makes the kernels that are launched next begin late, where the backend can. True: the outputs
  /// can be read before synchronize(), in the order of the default stream.
  virtual bool delay_kernels() { return false; }

  /// Whether the backend has ended a call because it was slow, since it was asked. A kernel that
  /// does not get on is a finding instead.
  virtual bool take_ended_slow() { return false; }

  /// What is launched next begins after all before, in any stream. Does not wait.
  virtual void order_streams() {}

  // Of operators on several devices. Each has access to the memory of all others.

  /// How many there are. What is allocated next is on the current one.
  virtual int devices() const { return 1; }
  virtual int current() const { return 0; }
  virtual void make_current(int /*device*/) {}

  /// A stream of that device, the same each time, which is ordered with no other.
  virtual CUstream_st* stream(int /*device*/) { return nullptr; }

  /// In that device's stream; does not wait. Findings call it by that name, which must stay.
  virtual void queue_copy(int /*device*/, void* /*to*/, const void* /*from*/, std::size_t /*bytes*/,
                          const char* /*name*/) {}

  /// Waits for everything launched. An error of the candidate's launches or kernels as a finding
  /// (kinds cuda_error, invalid_launch, out_of_bounds, misaligned), else nothing. After an error
  /// the device may be unusable: see usable().
  virtual std::optional<Finding> synchronize() = 0;

  /// False after an error that only a new process can clear.
  virtual bool usable() const = 0;

  /// Which guard zones were written, as findings. Restores them.
  virtual std::vector<Finding> check_guards() = 0;

  /// What the backend noticed since the last call (the emulator's checks), and its launches.
  virtual std::vector<Finding> take_findings() { return {}; }
  virtual std::vector<KernelRecord> take_kernels() { return {}; }

  /// How often kernels went from one CUDA thread to another since the last call, where the backend
  /// pays for that: with each thread, barrier and warp operation.
  virtual std::uint64_t take_switches() { return 0; }

  /// Copies since the last call, in order, where the backend sees them.
  virtual std::vector<HostCopy> take_host_copies() { return {}; }

  /// Whether the records of later launches hold sectors and wavefronts, where the backend can tell:
  /// such launches take longer.
  virtual void count_requests(bool /*wanted*/) {}

  /// Fills a buffer with the pattern, over and over.
  virtual void repeat(void* buffer, std::size_t bytes, std::span<const std::byte> pattern) {
    auto* const begin = static_cast<std::byte*>(buffer);
    std::size_t filled = std::min(bytes, pattern.size());
    upload(begin, pattern.data(), filled);
    for (std::size_t more; filled < bytes; filled += more) {
      more = std::min(filled, bytes - filled);
      copy(begin + filled, begin, more);
    }
  }

  /// Marks as never written, where the backend tracks it, and leaves what it holds.
  virtual void mark_unwritten(void* /*buffer*/, std::size_t /*bytes*/) {}
  /// Whether some of these bytes are marked so, and no block of a sample has read them.
  virtual bool any_unwritten(const void* /*buffer*/, std::size_t /*bytes*/) const { return false; }

  /// Where the backend can do without some, or can tell a valid launch without any: which blocks of
  /// later launches run.
  virtual void run_kernels(Blocks /*which*/) {}

  /// Of a call of which only a part of the blocks ran.
  virtual Sample take_sample() { return {}; }

  /// Whether another run of the calls so far could come to another result, since blocks ran side by
  /// side and met. If so, they run one after the other from now on.
  virtual bool stop_side_by_side() { return false; }

  /// Runs the blocks and warps of later launches in another order, where the backend can choose.
  virtual void change_schedule() {}
  /// The last ones first.
  virtual void reverse_schedule() {}
};

}  // namespace kata
