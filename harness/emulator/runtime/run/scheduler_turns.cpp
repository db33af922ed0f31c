// What runs on the OS thread's own stack: from one block to the next.
#include <algorithm>
#include <atomic>
#include <utility>

#include "emulator/runtime/launch/builtins.h"
#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/run/cluster.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

/// Beside other blocks a thread that spins is switched away sooner.
constexpr std::int64_t shared_quantum = quantum / 8;
/// A sample is about all threads of a block, also if they are ended early.
constexpr std::int64_t sampled_quantum = 512;
/// Threads of blocks that are begun together, where later ones overtake: their stacks cost room.
constexpr std::size_t overtaking_threads = 4096, most_overtaking = 16;
/// Turns of all resident blocks without any progress that make a deadlock.
constexpr unsigned certain = 4;
/// The most work of a launch before others have their turn: one may write while it waits for them.
/// Without checks nothing shows that it waits.
constexpr std::uint64_t most_of_turn = 1 << 26, most_of_unchecked_turn = 1 << 20;

std::atomic<bool> device_is_full = false;  // see is_full()
std::atomic<int> running_schedulers = 0;   // see end_launches()

/// Accesses of a block, or of a cluster whose last block it is. Blocks that go through a grid's
/// strides come to the largest indices at their end: the last block may, and the first one, which
/// often does the remainder.
std::uint64_t most_of_sampled(const Launch& launch, std::uint64_t block) {
  constexpr std::uint64_t of_the_first = 16, of_the_last = 32;
  const std::uint64_t accesses = launch.options.sampled_accesses;
  if (launch.options.others_write_zeros) return accesses / launch.wanted_blocks;
  if (block + 1 == launch.blocks) return of_the_last * accesses;
  return block == 0 ? of_the_first * accesses : accesses;
}

}  // namespace

bool is_full() {
  return device_is_full;
}

bool end_launches() {
  Scheduler::launches_end = true;
  return running_schedulers > 0;
}

void Scheduler::begin(Launch& launch) {
  ++running_schedulers;
  device_is_full = false;
  aborted_ = ended_early_ = gives_way_ = false;
  most_work_ = work_between_checks;
  set_current_device(launch.device);
  running.scheduler = this;
  running.quantum = quantum_ = quantum;
  running.progress = 0;
  quiet_ = 0;
  got_on_ = false;
  share_began_ = 0;
  running.counts = {};
  running.watched_blocks = blocks_between_looks;
  ended_accesses_ = accesses_seen_ = 0;
  equal_writes_.clear();
  const Options& options = launch.options;
  // What is overtaken waits: large cases, which are not checked, have no time for that.
  const bool may_overtake = options.schedule == Schedule::random && options.checked &&
                            !options.profile && options.sampled_blocks == 0 &&
                            !options.count_requests && !launch.config.cooperative &&
                            launch.cluster_blocks == 1 && launch.blocks > 1;
  overtaking_ = may_overtake ? std::clamp(overtaking_threads / launch.threads_per_block,
                                          std::size_t{2}, most_overtaking)
                             : 0;
  if (options.profile) profiler_.begin(launch.blocks);
  blockDim = launch.config.block;
  gridDim = launch.config.grid;
  const std::lock_guard lock(launch.mutex);
  ++launch.schedulers;
}

/// Whether all blocks have begun, or as many as a profile needs.
bool Scheduler::none_left(const Launch& launch) const {
  if (launch.next_order >= launch.wanted_blocks || launch.is_slow) return true;
  return launch.options.profile && !launch.config.cooperative &&
         launch.work + work_ + profiler_.work() > launch.options.profiled_accesses;
}

/// The blocks of one cluster, of one block as a rule. False: none is left, or the device has no
/// room for it.
bool Scheduler::admit(Launch& launch) {
  const unsigned count = launch.cluster_blocks;
  const std::uint64_t ran = launch.next_order / count;
  if (launch.sample.chosen > 0 && ran >= launch.sample.chosen &&
      !launch.sample.allows_others(ran, running.counts.accesses()))
    launch.wanted_blocks = ran * count;
  if (none_left(launch)) return false;
  const std::uint64_t room = launch.runner ? Runner::room(launch) : launch.capacity();
  if (launch.resident.fetch_add(count) + count > room) {
    launch.resident -= count;
    return false;
  }
  const std::uint64_t first = launch.next_order.fetch_add(count);
  if (first >= launch.wanted_blocks || first > launch.abort_order) {
    launch.resident -= count;
    return false;
  }
  if (launch.options.count_requests) loop_map_.forget_loop_ranges();
  if (launch.options.sampled_blocks > 0) {
    launch.work += std::exchange(work_, 0);
    launch.sample.begin_block();
    most_work_ = most_of_sampled(launch, launch.index_of(first + count - 1));
  }
  for (std::uint64_t order = first; order < first + count; ++order) {
    if (spare_.empty()) spare_.push_back(blocks_.emplace_back(std::make_unique<Block>()).get());
    resident_.push_back(spare_.back());
    spare_.pop_back();
    resident_.back()->begin(launch, order, launch.index_of(order));
  }
  if (count == 1) return true;
  std::vector<Block*> blocks(resident_.end() - count, resident_.end());
  std::sort(blocks.begin(), blocks.end(),  // their ranks are in the order of their indices
            [](const Block* a, const Block* b) { return a->index() < b->index(); });
  const auto cluster = std::make_shared<Cluster>(blocks);
  for (Block* block : blocks) block->join(cluster);
  return true;
}

/// Lets the block's threads run until it is finished, or none can go on for now, or it is ended.
void Scheduler::resume(Block& block) {
  block_ = &block;
  blockIdx = block.triple();
  running.shared_low = block.shared().low();
  running.quantum = quantum_ = block.launch().options.sampled_blocks > 0 ? sampled_quantum
                               : resident_.size() > 1                    ? shared_quantum
                                                                         : quantum;
  running.is_profiled = !block.chains.empty();
  running.leaves_marks = block.leaves_marks();
  turn_price_ = turn_polls_ = 0;
  next_look_ = warp_quantum;
  turn_accesses_ = running.counts.accesses();
  running.order.launch_first = std::min(block.launch().first_number, block.launch().first_unordered)
                               << Mark::block_low;
  running.order.read_by_blocks = static_cast<ReadStamp>(block.launch().first_number);
  running.order.block_first = block.accesses().block_first();
  running.order.before_barrier = block.accesses().before_barrier();
  running.order.before_shared = block.accesses().before_shared();
  running.order.is_alone = block.accesses().is_alone();
  running.order.set_me(block.accesses().me(0));
  running.is_checked = block.launch().options.checked;
  running.reach_low = block.launch().reach.low;
  running.reach_bytes = block.launch().reach.bytes;
  if (block.counts_requests() || !running.is_checked) {
    running.blocks = 0;
  } else {
    if (running.blocks <= 0 || running.blocks > blocks_between_looks)
      running.blocks = blocks_between_looks;  // host code ran before, or a block that is counted
    if (running.order.is_alone) running.trust_stamps(running.shared_low);
  }
  if (Thread* next = block.pick()) fibers_.switch_to(fiber_of(*next));
  running.thread = nullptr;
  running.is_checked = false;
  running.trust_no_stamps();
  running.path = nullptr;
  running.trace = nullptr;
}

/// One turn of every resident block, the last one first: others may have been waiting for it.
/// False: the launch has been ended.
bool Scheduler::run_resident() {
  all_spin_ = true;
  for (std::size_t i = resident_.size(); i-- > 0;) {
    Block& block = *resident_[i];
    if (!block.finished()) {
      resume(block);
      all_spin_ &= spins();
    }
    if (aborted_ || ended_early_) return false;
    if (gives_way_) return true;
    Cluster* const cluster = block.cluster();
    if (cluster && cluster->stuck() && !cluster->answer_looks()) {
      const Block& stuck = cluster->first_stuck();
      stuck.note_partial_registers(incidents_);
      const Incident deadlock = stuck.deadlock();
      incidents_.add(deadlock);
      block.launch().abort(deadlock.order, cudaErrorLaunchTimeout);
      fibers_.reset();
      return false;
    }
    // What others of its cluster may still use stays.
    if (!(cluster ? cluster->finished() : block.finished())) continue;
    barriers_ += block.barriers;
    const std::uint64_t accesses = running.counts.accesses();
    Launch& launch = block.launch();
    launch.block_is_over(block.order(), accesses - ended_accesses_, launch.work + work_);
    ended_accesses_ = accesses;
    if (block.launch().runner)
      block.launch().known = joined(block.launch().known, block.accesses().known_at_end());
    if (!block.chains.empty()) profiler_.end_block(block.chains);
    spare_.push_back(&block);
    resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(i));
    --block.launch().resident;
    device_is_full = false;
  }
  return true;
}

/// Whether the block has done nothing in its turn but look at what others may write.
bool Scheduler::spins() const {
  return idles_ || turn_polls_ * 10 >= turn_price_ * 9;
}

/// Every resident block has had a turn. `since`: the launch's progress before.
void Scheduler::note_turn(Launch& launch, bool has_got_on, std::uint64_t since) {
  if (has_got_on) launch.got_on();
  const bool is_quiet = launch.progress == since && (all_spin_ || !launch.runner);
  quiet_ = is_quiet ? quiet_ + 1 : 0;
  got_on_ |= !is_quiet;
}

/// Where there are other launches: they have their turn if this one waits, or has run for long.
/// False: it has been ended.
bool Scheduler::share(Launch& launch) {
  const bool waits = quiet_ >= certain || resident_.empty();
  const std::uint64_t work = launch.work + work_;
  const std::uint64_t most = launch.options.checked ? most_of_turn : most_of_unchecked_turn;
  if (!waits && work - share_began_ < most) return true;
  share_began_ = work;
  using enum Runner::Turn;
  const bool idles = std::exchange(idles_, false);
  const bool has_got_on = std::exchange(got_on_, false);
  if (launch.runner->give_way(has_got_on ? got_on : idles ? idled : waited)) return true;
  end_in_wait(launch);
  return false;
}

/// False: it has been ended, or none of its blocks is left to begin.
bool Scheduler::wait_for_room(Launch& launch) {
  while (launch.runner && !none_left(launch)) {
    if (!share(launch)) return false;
    if (admit(launch)) return true;
  }
  return false;
}

/// What the launch waits for will not come.
void Scheduler::end_in_wait(Launch& launch) {
  if (launch.blocked) {
    WaitsForOthers fault{launch.blocked};
    if (!none_left(launch)) fault.not_begun = launch.wanted_blocks - launch.next_order;
    const auto spins = [](const Block* block) { return block->spinning() != nullptr; };
    const auto found = std::ranges::find_if(resident_, spins);
    incidents_.add(found != resident_.end()
                       ? (*found)->waits_for_others(fault)
                       : Incident{{nullptr, launch.config.file, launch.config.line}, fault});
  }
  launch.abort(no_order - 1, launch.blocked ? cudaErrorLaunchTimeout : cudaErrorLaunchFailure);
  fibers_.reset();
}

/// As many blocks again as there are. False: there are others, for which the device has no room.
bool Scheduler::admit_more(Launch& launch) {
  for (std::size_t more = resident_.size(); more > 0; --more) {
    if (admit(launch)) continue;
    device_is_full = !none_left(launch);
    return !device_is_full;
  }
  return true;
}

/// Grows when a thread of this scheduler does what another one may wait for. Unchecked accesses may
/// all be such.
std::uint64_t Scheduler::progress(const Launch& launch) const {
  if (!launch.options.checked) return launch.work + work_;
  return static_cast<std::uint64_t>(running.progress) +
         running.counts.total(AccessKind::global_store).accesses +
         running.counts.total(AccessKind::global_atomic).accesses;
}

void Scheduler::run(Launch& launch) {
  begin(launch);
  while (!resident_.empty() || admit(launch) || wait_for_room(launch)) {
    const std::uint64_t since = launch.progress, before = progress(launch);
    const std::size_t blocks = resident_.size();
    if (!run_resident()) {
      if (!std::exchange(ended_early_, false)) break;
      drop_resident(launch);
      continue;
    }
    const bool has_got_on = resident_.size() < blocks || progress(launch) != before;
    if (std::exchange(gives_way_, false)) {
      if (has_got_on) ++launch.progress;
      if (resident_.size() < overtaking_) admit(launch);
      continue;
    }
    note_turn(launch, has_got_on, since);
    if (resident_.empty()) continue;
    // A profile needs few blocks: no more of them before these are over, or wait for others.
    if (launch.options.profile && quiet_ == 0) continue;
    if (launch.options.sampled_blocks > 0) continue;  // it waits until it has used up its accesses
    // The remaining blocks spin: on a block of another OS thread, or on one that has not begun.
    const std::size_t before_more = resident_.size();
    const bool all_begun = admit_more(launch);
    if (launch.runner) {
      if (resident_.size() > before_more) {
        quiet_ = 0;
      } else if (!share(launch)) {
        break;
      }
      continue;
    }
    if (all_begun || quiet_ < certain || !launch.all_stalled(this, since)) continue;
    end_waiting(launch);
    break;
  }
  end(launch);
}

/// Every block that fits on the device waits for one that does not.
void Scheduler::end_waiting(Launch& launch) {
  const Block& first =
      **std::min_element(resident_.begin(), resident_.end(),
                         [](const Block* a, const Block* b) { return a->order() < b->order(); });
  if (launch.is_slow) {
    launch.abort(first.order(), cudaSuccess);  // they wait for those that are not to begin
  } else {
    incidents_.add(first.never_resident(launch.capacity()));
    launch.abort(first.order(), cudaErrorLaunchTimeout);
  }
  fibers_.reset();
}

void Scheduler::run_cooperative(Launch& launch) {
  begin(launch);
  while (admit(launch) || wait_for_room(launch)) {
  }
  while (!resident_.empty()) {
    const std::uint64_t since = launch.progress, before = progress(launch);
    const std::size_t blocks = resident_.size();
    if (!run_resident()) break;
    note_turn(launch, resident_.size() < blocks || progress(launch) != before, since);
    const auto at_grid = [](const Block* block) { return block->at_grid(); };
    if (!std::all_of(resident_.begin(), resident_.end(), at_grid)) {
      if (launch.runner && !share(launch)) break;
      continue;
    }
    if (!resident_.empty() && resident_.size() < launch.blocks) {
      Incident incident = resident_.front()->deadlock();
      incident.fault = GridIncomplete{launch.blocks - resident_.size()};
      incidents_.add(incident);
      launch.abort(incident.order, cudaErrorLaunchTimeout);
      fibers_.reset();
      break;
    }
    launch.renumber();
    for (Block* block : resident_) block->release_grid();
  }
  end(launch);
}

void Scheduler::drop_resident(Launch& launch) {
  for (Block* block : resident_) {
    barriers_ += block->barriers;
    spare_.push_back(block);
  }
  launch.resident -= resident_.size();
  resident_.clear();
  block_ = nullptr;
}

void Scheduler::end(Launch& launch) {
  drop_resident(launch);
  fibers_.keep_few();
  const std::lock_guard lock(launch.mutex);
  --launch.schedulers;
  launch.stalled.erase(this);
  if (launch.options.profile) launch.profile = profiler_.take();
  launch.counts.add(running.counts);
  requests_.take_counts(launch.requests, launch.merges);
  launch.barriers += barriers_;
  launch.incidents.merge(incidents_);
  launch.confirmed_reads.merge(confirmed_reads_);
  launch.work += work_;
  work_ = barriers_ = 0;
  incidents_.clear();
  confirmed_reads_.clear();
  --running_schedulers;
}

}  // namespace kata::emulator
