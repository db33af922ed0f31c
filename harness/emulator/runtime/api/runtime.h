#pragma once
// The state of the emulated device that belongs to no part of it.

#include <chrono>
#include <map>
#include <memory>
#include <mutex>

#include "emulator/emulator.h"
#include "emulator/runtime/launch/machine_code.h"
#include "emulator/runtime/memory/locate.h"

namespace kata::emulator {

/// Thrown to host code, and through it to its caller, where a call whose kernels do not run, or
/// only some of their blocks, can show no more, or where it is too slow.
struct LaunchesSeen {};

struct Runtime {
  static Runtime& instance();

  std::mutex launching;  ///< one launch at a time: streams are in order, and run at once
  Options options;
  std::unique_ptr<MachineCode> machine_code;        ///< of the options
  std::chrono::steady_clock::time_point slow_from;  ///< for Options::is_slow
  unsigned launches = 0;
  unsigned steps = 0;          ///< launches and copied rows since configure()
  bool order_matters = false;  ///< of the blocks of some launch, since it was asked
  bool ended_slow = false;     ///< a call, since it was asked

  /// Options::sampled_blocks: since configure().
  struct Sampled {
    Sample sample = {};
    bool lacks_blocks = false;  ///< not all blocks ran to their end
    bool is_partial = false;    ///< what was written is not all that the call leaves
    bool has_atomics = false;   ///< some launch has changed device memory atomically
    bool has_ended = false;     ///< before the function returned: see end_call()
    unsigned writers = 0;       ///< launches that wrote to the program's own buffers
    std::uint64_t work = 0;     ///< accesses, roughly, and copied words
    /// Where Options::others_write_zeros: by stores, as offsets in the module, the first and the
    /// last word of the candidate's that they have written.
    std::map<std::uintptr_t, AddressRange> left = {};
  } sampled;

  bool runs_all() const { return !options.launches_only && options.sampled_blocks == 0; }

  /// How long a call may take whose kernels do not all run is counted, since a right one may copy a
  /// million rows. `work`: words that are copied.
  void take_step(std::uint64_t work = 0) {
    constexpr unsigned most_steps = 10'000;
    const std::uint64_t most_work =
        options.others_write_zeros ? 1 << 26 : options.whole_work + (1 << 23);
    if (runs_all()) return;
    sampled.work += work;
    if (++steps > most_steps || sampled.work > most_work) {
      sampled.sample.is_whole = false;
      end_call_early();
    }
  }

  [[noreturn]] void end_call_early() {
    sampled.has_ended = true;
    throw LaunchesSeen{};
  }
};

}  // namespace kata::emulator
