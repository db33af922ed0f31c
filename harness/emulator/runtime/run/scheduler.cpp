#include "emulator/runtime/run/scheduler.h"

#include <algorithm>

#include "emulator/runtime/launch/builtins.h"
#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/run/cluster.h"

namespace kata::emulator {
namespace {

/// Times that every thread of a block has used up its quantum while none got anywhere: then other
/// blocks go on, since that may be what they wait for. Once is enough where most of what the
/// threads do is what spinning is made of: it costs several times its accesses.
constexpr unsigned patience = 8;
constexpr std::int64_t spinning_costs = 4;
/// Beside other blocks a thread that spins is switched away sooner.
constexpr std::int64_t shared_quantum = quantum / 8;
/// What the lanes of a warp use up together, before one of them looks around.
constexpr std::int64_t warp_quantum = 32 * quantum;
/// Turns of all resident blocks without any progress that make a deadlock.
constexpr unsigned certain = 4;
constexpr std::uint64_t work_between_checks = 1 << 20;

}  // namespace

// ---- on a fiber

void Scheduler::fiber_body() {
  running.scheduler->run_threads();
}

void Scheduler::run_threads() {
  Fiber* self = fibers_.active();
  for (;;) {
    if (Thread* thread = starting_) {
      starting_ = nullptr;
      thread->warp->unstarted &= ~thread->bit();
      thread->fiber = self;
      enter(*thread);
      try {
        launch().call(launch().closure);
      } catch (const ThreadExit&) {
      }
      account();
      check_stack();
      block_->finish(*thread);
    }
    Thread* next = block_->pick();
    // A thread that has not begun takes over the stack of the one that is done: no switch at all.
    if (next && (next->warp->unstarted & next->bit())) {
      starting_ = next;
      continue;
    }
    if (!next && block_->stuck()) abort(block_->deadlock(), cudaErrorLaunchTimeout);
    fibers_.put_back(self);
    if (next) {
      fibers_.switch_to(fiber_of(*next));
    } else {
      fibers_.switch_to(fibers_.main());
    }
  }
}

/// Where the thread goes on, or begins.
Fiber* Scheduler::fiber_of(Thread& thread) {
  if (thread.warp->unstarted & thread.bit()) {
    starting_ = &thread;
    return fibers_.take();
  }
  thread.warp->runnable &= ~thread.bit();
  return thread.fiber;
}

inline void Scheduler::enter(Thread& thread) {
  running.thread = &thread;
  running.is_checked = launch().options.checked;
  running.stack_low = thread.watches_locals ? no_stack : thread.fiber->stack_low;
  running.path = block_->path(thread);
  running.trace = running.path ? trace_of(*thread.warp) : nullptr;
  if (running.watches_blocks()) {
    running.blocks = 0;
  } else if (running.blocks == 0) {
    running.blocks = blocks_between_looks;
  }
  running.lane = thread.lane;
  running.order.set_me(block_->accesses().me(thread.id));
  if (running.is_checked && !running.trace && running.order.is_alone) {
    running.trust_stamps(block_->shared().low());
  } else {
    running.trust_no_stamps();
  }
  threadIdx = thread.index;
}

WarpTrace* Scheduler::trace_of(Warp& warp) {
  if (!warp.trace) warp.trace = requests_.take();
  return warp.trace;
}

inline __attribute__((always_inline)) void Scheduler::give_way(Thread& me) {
  account();
  check_limits(me.place);
  check_stack();
  Fiber* next = fibers_.main();
  if (turn_is_over()) {
    block_->forget_rounds();
  } else if (Thread* const thread = block_->pick()) {
    if (thread == &me) {
      me.warp->runnable &= ~me.bit();
      return;
    }
    next = fiber_of(*thread);
    block_->fetch_stack_after(*thread);
  } else if (block_->stuck()) {
    abort(block_->deadlock(), cudaErrorLaunchTimeout);
  }
  fibers_.switch_to(next);
  enter(me);
}

void Scheduler::watch_locals(bool watch) {
  Thread& me = *running.thread;
  me.watches_locals = watch;
  running.stack_low = watch ? no_stack : me.fiber->stack_low;
}

void Scheduler::wait() {
  give_way(*running.thread);
}

int Scheduler::meet_block(BarrierKind kind, bool predicate, const char* file,
                          int line_and_counter) {
  Thread& me = *running.thread;
  running.quantum -= spin_price;
  Scheduler& scheduler = *running.scheduler;
  // Part by part: to copy a whole that has just been put together, a processor waits for its
  // stores.
  me.place.code = nullptr;
  me.place.file = file;
  me.place.line = line_and_counter;
  if (!scheduler.block().arrive_at_barrier(me, predicate)) scheduler.give_way(me);
  return scheduler.block().barrier_result(kind);
}

std::uint64_t Scheduler::meet_warp(WarpOp op, unsigned mask, std::uint64_t value, int argument,
                                   int width, const void* return_address) {
  Thread& me = *running.thread;
  running.quantum -= spin_price;
  me.op = op;
  me.mask = mask;
  me.value = value;
  me.argument = argument;
  me.width = width > 0 && width <= 32 ? width : 32;
  me.place = before(return_address);
  Scheduler& scheduler = *running.scheduler;
  if (!scheduler.block().arrive_at_operation(me)) scheduler.give_way(me);
  // No lane uses up its quantum in a loop of warp operations: each one that waits begins it again.
  if (scheduler.turn_price_ > scheduler.next_look_) [[unlikely]] {
    scheduler.next_look_ = scheduler.turn_price_ + warp_quantum;
    scheduler.look_around(me.place);
  }
  return me.result;
}

void Scheduler::look_around(const Place& place) {
  Thread& me = *running.thread;
  me.place = place;
  block_->yield(me);
  wait();
}

void Scheduler::look_for_accesses(const Place& place) {
  const std::uint64_t accesses = running.counts.accesses();
  if (accesses == accesses_seen_) {
    work_ += blocks_between_looks / 2;
    check_limits(place);
  }
  accesses_seen_ = accesses;
}

void Scheduler::wait_for_warp(const Place& place) {
  block_->arrive_at_count(*running.thread, place);
  wait();
}

void Scheduler::see_flag() {
  block_->accesses().has_looked(running.thread->id, launch().flags);
}

void Scheduler::account() {
  settle();
  const std::int64_t spent = quantum_ - running.quantum;
  work_ += static_cast<std::uint64_t>(spent);
  turn_price_ += spent;
  running.quantum = quantum_;
}

bool Scheduler::turn_is_over() const {
  if (block_->rounds() == 0) return false;
  if (!block_->launch().options.checked) return block_->rounds() >= patience;
  const auto accesses = static_cast<std::int64_t>(running.counts.accesses() - turn_accesses_);
  return block_->rounds() >= patience || turn_price_ > spinning_costs * accesses;
}

/// Grows when a thread of this scheduler does what another one may wait for. Unchecked accesses may
/// all be such.
std::uint64_t Scheduler::progress(const Launch& launch) const {
  if (!launch.options.checked) return launch.work + work_;
  return static_cast<std::uint64_t>(running.progress) +
         running.counts.total(AccessKind::global_store).accesses +
         running.counts.total(AccessKind::global_atomic).accesses;
}

void Scheduler::check_limits(const Place& place) {
  if (work_ < work_between_checks) return;
  const std::uint64_t total = launch().work.fetch_add(work_) + work_;
  work_ = 0;
  if (block_->order() > launch().abort_order) abandon();
  launch().tell_if_slow();
  if (total < launch().options.access_limit) return;
  abort(incident(place, Timeout{}), cudaErrorLaunchTimeout);
}

void Scheduler::check_stack() {
  if (Fibers::stack_intact(*fibers_.active())) [[likely]]
    return;
  abort(incident(running.thread->place, StackOverflow{}), cudaErrorHardwareStackError);
}

Incident Scheduler::incident(const Place& place, const Fault& fault) const {
  return block_->incident(place, running.thread->id, fault);
}

SharedAccess Scheduler::shared_access(std::uintptr_t offset, unsigned size, bool is_write) const {
  SharedAccess access{offset, size, is_write};
  if (running.shared_low == block_->shared().low()) return access;
  if (const Block* owner = block_->cluster()->owner_of(running.shared_low))
    access.block = owner->index();
  return access;
}

void Scheduler::ask_for_clusters(Triple shape) {
  if (launch().config.cluster.x > 0) return;
  {
    const std::lock_guard lock(launch().mutex);
    launch().asked_cluster = shape;
  }
  launch().abort(0, cudaSuccess);
  abandon();
}

void Scheduler::abort(const Incident& incident, int error) {
  incidents_.add(incident);
  launch().abort(block_->order(), error);
  abandon();
}

void Scheduler::abandon() {
  aborted_ = true;
  fibers_.abandon_all();
}

// ---- on the OS thread's own stack

void Scheduler::begin(Launch& launch) {
  aborted_ = false;
  running.scheduler = this;
  running.quantum = quantum_ = quantum;
  running.progress = 0;
  running.counts = {};
  ended_accesses_ = 0;
  equal_writes_.clear();
  if (launch.options.profile) profiler_.begin(launch.blocks);
  blockDim = launch.config.block;
  gridDim = launch.config.grid;
  const std::lock_guard lock(launch.mutex);
  ++launch.schedulers;
}

/// Whether all blocks have begun, or as many as a profile needs.
bool Scheduler::none_left(const Launch& launch) const {
  if (launch.next_order >= launch.wanted_blocks) return true;
  return launch.options.profile && !launch.config.cooperative &&
         profiler_.enough(launch.work + work_);
}

/// The blocks of one cluster, of one block as a rule. False: none is left, or the device has no
/// room for it.
bool Scheduler::admit(Launch& launch) {
  const unsigned count = launch.cluster_blocks;
  if (none_left(launch)) return false;
  if (launch.resident.fetch_add(count) + count > launch.capacity()) {
    launch.resident -= count;
    return false;
  }
  const std::uint64_t first = launch.next_order.fetch_add(count);
  if (first >= launch.wanted_blocks || first > launch.abort_order) {
    launch.resident -= count;
    return false;
  }
  if (launch.options.count_requests) loop_map_.forget_loop_ranges();
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
  running.quantum = quantum_ = resident_.size() > 1 ? shared_quantum : quantum;
  running.is_profiled = !block.chains.empty();
  turn_price_ = 0;
  next_look_ = warp_quantum;
  turn_accesses_ = running.counts.accesses();
  running.order.launch_first = std::min(block.launch().first_number, block.launch().first_unordered)
                               << Mark::block_low;
  running.order.read_by_blocks = static_cast<ReadStamp>(block.launch().first_number);
  running.order.block_first = block.accesses().block_first();
  running.order.before_barrier = block.accesses().before_barrier();
  running.order.before_shared = block.accesses().before_shared();
  running.order.is_alone = block.accesses().is_alone();
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
  for (std::size_t i = resident_.size(); i-- > 0;) {
    Block& block = *resident_[i];
    if (!block.finished()) resume(block);
    if (aborted_) return false;
    Cluster* const cluster = block.cluster();
    if (cluster && cluster->stuck() && !cluster->answer_looks()) {
      const Incident deadlock = cluster->first_stuck().deadlock();
      incidents_.add(deadlock);
      block.launch().abort(deadlock.order, cudaErrorLaunchTimeout);
      fibers_.reset();
      return false;
    }
    // What others of its cluster may still use stays.
    if (!(cluster ? cluster->finished() : block.finished())) continue;
    barriers_ += block.barriers;
    const std::uint64_t accesses = running.counts.accesses();
    block.launch().block_is_over(block.order(), accesses - ended_accesses_);
    ended_accesses_ = accesses;
    if (!block.chains.empty()) profiler_.end_block(block.chains);
    spare_.push_back(&block);
    resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(i));
    --block.launch().resident;
  }
  return true;
}

/// As many blocks again as there are. False: there are others, for which the device has no room.
bool Scheduler::admit_more(Launch& launch) {
  for (std::size_t more = resident_.size(); more > 0; --more) {
    if (!admit(launch)) return none_left(launch);
  }
  return true;
}

void Scheduler::run(Launch& launch) {
  begin(launch);
  unsigned quiet = 0;
  while (!resident_.empty() || admit(launch)) {
    const std::uint64_t since = launch.progress, before = progress(launch);
    const std::size_t blocks = resident_.size();
    if (!run_resident()) break;
    if (resident_.size() < blocks || progress(launch) != before) ++launch.progress;
    quiet = launch.progress == since ? quiet + 1 : 0;
    if (resident_.empty()) continue;
    // A profile needs few blocks: no more of them before these are over, or wait for others.
    if (launch.options.profile && quiet == 0) continue;
    // The remaining blocks spin: on a block of another OS thread, or on one that has not begun.
    if (admit_more(launch) || quiet < certain || !launch.all_stalled(this, since)) continue;
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
  incidents_.add(first.never_resident(launch.capacity()));
  launch.abort(first.order(), cudaErrorLaunchTimeout);
  fibers_.reset();
}

void Scheduler::run_cooperative(Launch& launch) {
  begin(launch);
  while (admit(launch)) {
  }
  while (!resident_.empty() && run_resident()) {
    const auto at_grid = [](const Block* block) { return block->at_grid(); };
    if (!std::all_of(resident_.begin(), resident_.end(), at_grid)) continue;
    if (!resident_.empty() && resident_.size() < launch.blocks) {
      Incident incident = resident_.front()->deadlock();
      incident.fault = GridIncomplete{launch.blocks - resident_.size()};
      incidents_.add(incident);
      launch.abort(incident.order, cudaErrorLaunchTimeout);
      fibers_.reset();
      break;
    }
    launch.first_number = number_blocks(launch.blocks);
    for (Block* block : resident_) block->release_grid();
  }
  end(launch);
}

void Scheduler::end(Launch& launch) {
  for (Block* block : resident_) {
    barriers_ += block->barriers;
    spare_.push_back(block);
  }
  resident_.clear();
  block_ = nullptr;
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
}

}  // namespace kata::emulator
