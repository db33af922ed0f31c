#pragma once
// One launch of a kernel, shared by the OS threads that run its blocks.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/abi.h"
#include "emulator/emulator.h"
#include "emulator/runtime/count/counts.h"
#include "emulator/runtime/count/instruction_counts.h"
#include "emulator/runtime/count/merges.h"
#include "emulator/runtime/launch/incident.h"
#include "emulator/runtime/launch/kept_launch.h"
#include "emulator/runtime/launch/order.h"
#include "emulator/runtime/launch/sample.h"
#include "emulator/runtime/launch/streams.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/locate.h"
#include "emulator/runtime/memory/shared_memory.h"
#include "emulator/types/launch_profile.h"

namespace kata::emulator {

class ModuleVariables;
class Runner;

inline constexpr std::uint64_t no_order = std::numeric_limits<std::uint64_t>::max();

/// The latest fence.proxy.async of each block that holds for global memory.
class ProxyFences {
 public:
  void add(std::uint64_t order, unsigned clock) {
    const std::lock_guard lock(mutex_);
    clocks_[order] = clock;
  }
  /// The clock after it; 0: there was none.
  unsigned latest(std::uint64_t order) const {
    const std::lock_guard lock(mutex_);
    const auto found = clocks_.find(order);
    return found == clocks_.end() ? 0 : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, unsigned> clocks_;
};

struct Launch {
  LaunchConfig config{};
  std::string name;  ///< of the kernel
  void (*call)(void*) = nullptr;
  void* closure = nullptr;
  std::uintptr_t params_low = 0, params_high = 0;
  unsigned id = 0;
  int device = 0;
  DeviceMemory::Reach reach{};
  std::uint64_t blocks = 0;
  unsigned threads_per_block = 0;
  unsigned os_threads = 1;  ///< that run its blocks at the most
  unsigned cluster_blocks = 1;
  Options options;
  std::chrono::steady_clock::time_point slow_from;  ///< when Options::is_slow is to be called
  AddressRange module{};                            ///< code and variables of the candidate
  ModuleVariables* variables = nullptr;
  SharedLayout shared;
  Flags own_flags;
  Flags* flags = &own_flags;
  Tickets tickets;
  ProxyFences proxy_fences;
  std::uint64_t first_number = 0;  ///< of its blocks, in the schedule's order
  std::uint64_t own_first = 0;     ///< the same, before the first grid.sync()
  /// Where it runs beside others, which have numbers between its own: all first ones.
  std::vector<std::uint64_t> first_numbers;
  /// Null: it is the only launch under way, and runs to its end at once.
  Runner* runner = nullptr;
  bool is_to_end = false;                  ///< where it is
  std::shared_ptr<const Blocked> blocked;  ///< since it would wait for ever
  VectorClock known;                       ///< by its threads at their end, of other launches
  bool in_default_stream = true;
  std::shared_ptr<const StreamClock> before;  ///< the work that has ended
  /// The same for threads that have not waited for the kernel before this one; null: all do so at
  /// the beginning.
  std::shared_ptr<const StreamClock> before_dependency;
  std::uint64_t first_unordered = no_order;  ///< all work with lower numbers is among it

  std::atomic<std::uint64_t> next_order = 0;
  std::atomic<std::uint64_t> finished = 0;  ///< blocks
  /// When the last block was over, or the launch began; kept for Options::is_slow alone.
  std::atomic<std::chrono::steady_clock::time_point> last_over = std::chrono::steady_clock::now();
  std::uint64_t wanted_blocks = 0;  ///< fewer than all where a profile or a sample is enough
  LaunchSample sample;              ///< one OS thread runs it
  bool is_repeat = false;           ///< what an earlier one had left was copied
  /// The first block, in the schedule's order, that ended the launch. Those before it still run to
  /// their end, so that what is found does not depend on how fast each OS thread is.
  std::atomic<std::uint64_t> abort_order = no_order;
  std::atomic<std::uint64_t> counted_blocks = 0;   ///< whose requests are counted
  std::atomic<std::uint64_t> unmarked_blocks = 0;  ///< whose plain accesses leave no marks
  std::atomic<std::uint64_t> sized_blocks = 0;     ///< of the first: those that are over
  std::atomic<std::uint64_t> sized_accesses = 0;   ///< by them
  std::atomic<std::uint64_t> work = 0;             ///< about the memory accesses so far
  std::atomic<std::uint64_t> work_when_over = 0;   ///< the same when the last block was over
  std::atomic<bool> is_slow = false;               ///< no more blocks begin (Options::access_limit)
  std::atomic<std::uint64_t> resident = 0;         ///< blocks that have begun and are not over
  std::atomic<std::uint64_t> progress = 0;         ///< turns in which some block got on
  /// What it leaves depends on device memory, constants and its arguments alone, and nobody sees
  /// more of it.
  std::atomic<bool> is_repeatable = true;
  std::atomic<const void*> product = nullptr;  ///< wmma: code of the first mma_sync()
  std::atomic<bool> stores_products = false;   ///< wmma: it calls store_matrix_sync()
  std::atomic<bool> order_matters = false;     ///< of its blocks: the order may show in memory
  std::atomic<bool> blocks_wait = false;       ///< one has looked at what another has written

  std::mutex mutex;                     ///< of what follows
  std::optional<Triple> asked_cluster;  ///< by the kernel: the launch has to start again
  int error = 0;                        ///< of the block at abort_order
  Counts counts{};
  InstructionCounts requests;
  /// Where `requests` are those of machine code: the lines of its instructions.
  std::vector<SourceLine> machine_lines;
  std::string by_rules;  ///< why they are not, where there is machine code
  MergeCounts merges;
  std::uint64_t barriers = 0;
  IncidentLog incidents;
  unsigned schedulers = 0;  ///< OS threads that run its blocks
  std::uint64_t stalled_at = 0;
  std::set<const void*> stalled;          ///< of the schedulers, while `progress` is stalled_at
  std::set<const void*> confirmed_reads;  ///< code of plain reads: see causes() in races.h
  std::optional<LaunchProfile> profile;
  std::vector<KeptLaunch> children;  ///< that its kernel has launched

  std::uint64_t index_of(std::uint64_t order) const;
  /// Whether its blocks have, or had, this number; of a number that is not lower than all of them
  /// where no other launch runs.
  bool has_number(std::uint64_t number) const;
  /// Its blocks are numbered anew: the grid has met.
  void renumber();
  /// Whether the block is profiled: some are, where all have to run.
  bool profiles(std::uint64_t order) const;
  /// Whether the requests of the block are counted (Options::counted_accesses).
  bool counts_requests_of(std::uint64_t order) const;
  /// Whether plain accesses of the block leave marks (Options::marked_accesses).
  bool leaves_marks(std::uint64_t order) const;
  /// In a turn of all its resident blocks one has done what another may wait for.
  void got_on();
  /// The block is over, and has made so many accesses; so much work has been done in all.
  void block_is_over(std::uint64_t order, std::uint64_t accesses, std::uint64_t work_so_far);
  /// Work since it began, or since a block was over: what an endless loop adds to.
  std::uint64_t work_alone(std::uint64_t work_so_far) const;
  /// Scales what was counted in some blocks to all.
  void scale_requests();
  /// Calls Options::is_slow when it is time.
  void tell_if_slow() const;
  /// Blocks that the device could keep resident at once, as far as its registers allow: if it had
  /// no other launch.
  std::uint64_t capacity() const;
  /// One of the OS threads says that its blocks have done nothing but spin since `progress` had
  /// this value. True: so do those of all the others.
  bool all_stalled(const void* scheduler, std::uint64_t at);
  void abort(std::uint64_t order, int cuda_error);

 private:
  std::uint64_t cluster_of(std::uint64_t order) const;
  /// The share of its blocks that make so many accesses, as the first ones show.
  double share_of(std::uint64_t accesses) const;
};

}  // namespace kata::emulator
