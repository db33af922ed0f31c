// What runs on a CUDA thread's fiber: from one thread to the next.
#include "emulator/runtime/run/scheduler.h"

#include <algorithm>
#include <utility>

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

}  // namespace

void Scheduler::fiber_body() {
  running.scheduler->run_threads();
}

void Scheduler::run_threads() {
  Fiber* self = fibers_.active();
  for (;;) {
    if (Thread* thread = starting_) {
      starting_ = nullptr;
      block_->fiber(*thread) = self;
      thread->stack_low = self->stack_low;
      thread->loops_left = thread->last_mask = 0;
      enter(*thread);
      try {
        launch().call(launch().closure);
      } catch (const ThreadExit&) {
      }
      settle();
      account();
      check_stack();
      block_->finish(*thread);
    }
    Thread* next = block_->pick();
    // A thread that has not begun takes over the stack of the one that is done: no switch at all.
    if (next && !block_->fiber(*next)) {
      starting_ = next;
      continue;
    }
    if (!next && block_->stuck()) abort_stuck();
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
  if (Fiber* const fiber = block_->fiber(thread)) [[likely]]
    return fiber;
  starting_ = &thread;
  return fibers_.take();
}

/// What all threads of the block have in common is there since resume().
inline void Scheduler::enter(Thread& thread) {
  running.thread = &thread;
  running.stack_low = thread.stack_low;
  running.lane = thread.lane;
  running.order.set_thread(thread.id);
  running.known = running.unknown = 0;
  threadIdx = thread.index;
  if (block_->counts_requests()) {
    running.path = block_->path(thread);
    running.trace = trace_of(*thread.warp);
  }
}

WarpTrace* Scheduler::trace_of(Warp& warp) {
  if (!warp.trace) warp.trace = requests_.take();
  return warp.trace;
}

inline __attribute__((always_inline)) void Scheduler::give_way(Thread& me) {
  account();
  if (work_ >= most_work_) [[unlikely]]
    check_limits(me.place);
  // The end of a stack is far from where it is used, and in no cache: few switches look there.
  constexpr unsigned switches_between_looks = 16;
  if (++switches_ % switches_between_looks == 0) check_stack();
  Fiber* next = fibers_.main();
  if (block_->rounds() > 0 && turn_is_over()) [[unlikely]] {
    block_->forget_rounds();
  } else if (Thread* const thread = block_->pick()) {
    if (thread == &me) return;
    next = fiber_of(*thread);
    block_->look_ahead();
  } else if (block_->stuck()) {
    abort_stuck();
  }
  fibers_.switch_to(next);
  enter(me);
}

void Scheduler::watch_locals(bool watch) {
  Thread& me = *running.thread;
  running.stack_low = me.stack_low = watch ? no_stack : fibers_.active()->stack_low;
}

void Scheduler::wait() {
  settle();
  give_way(*running.thread);
}

int Scheduler::meet_block(BarrierKind kind, bool predicate, const char* file,
                          int line_and_counter) {
  Thread& me = *running.thread;
  running.quantum -= spin_price;
  Scheduler& scheduler = *running.scheduler;
  scheduler.settle();
  // Part by part: to copy a whole that has just been put together, a processor waits for its
  // stores.
  me.place.code = nullptr;
  me.place.file = file;
  me.place.line = line_and_counter;
  if (scheduler.block().arrive_at_barrier(me, kind, predicate)) {
    scheduler.account();
  } else {
    scheduler.give_way(me);
  }
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
  scheduler.settle();
  if (scheduler.block().arrive_at_operation(me)) {
    scheduler.account();
  } else {
    scheduler.give_way(me);
  }
  ++me.operations;
  me.loops_left = 0;
  me.last_mask = mask;
  // No lane uses up its quantum in a loop of warp operations: each one that waits begins it again.
  if (scheduler.turn_price_ > scheduler.next_look_) [[unlikely]] {
    scheduler.next_look_ = scheduler.turn_price_ + warp_quantum;
    scheduler.look_around(me.place);
  }
  return me.result;
}

void Scheduler::meet_active(const Place& place) {
  // Lanes that have gone the same way since they last met others have made as many accesses.
  const std::int64_t way = quantum_ - running.quantum;
  running.quantum -= spin_price;
  block_->arrive_at_activemask(*running.thread, place, way);
  wait();
}

void Scheduler::look_around(const Place& place) {
  Thread& me = *running.thread;
  me.place = place;
  block_->yield(me);
  wait();
}

void Scheduler::be_overtaken() {
  gives_way_ = true;
  end_turn(running.thread->place);
}

void Scheduler::end_turn(const Place& place) {
  Thread& me = *running.thread;
  me.place = place;
  block_->yield(me);
  settle();
  account();
  fibers_.switch_to(fibers_.main());
  enter(me);
}

void Scheduler::look_for_accesses(const Place& place) {
  if (launches_end) check_limits(place);
  const std::uint64_t accesses = running.counts.accesses();
  if (accesses == accesses_seen_) {
    work_ += blocks_between_looks / 2;
    if (work_ >= most_work_) check_limits(place);
    if (launch().runner) {  // it waits for what it does not read again
      idles_ = true;
      end_turn(place);
    }
  }
  accesses_seen_ = accesses;
}

void Scheduler::wait_for_warp(const Place& place) {
  block_->arrive_at_count(*running.thread, place);
  give_way(*running.thread);  // the access that is counted has not happened yet: nothing to settle
}

inline void Scheduler::account() {
  const std::int64_t spent = quantum_ - running.quantum;
  work_ += static_cast<std::uint64_t>(spent);
  turn_price_ += spent;
  running.quantum = quantum_;
}

bool Scheduler::turn_is_over() const {
  if (!block_->launch().options.checked) return block_->rounds() >= patience;
  const auto accesses = static_cast<std::int64_t>(running.counts.accesses() - turn_accesses_);
  return block_->rounds() >= patience || turn_price_ > spinning_costs * accesses;
}

/// Of a launch of which some blocks run, one after the other, more than fit on the device: those
/// that ran before this one, to their ends, may be all that have begun, and it does nothing but
/// look at the same words again and again.
bool Scheduler::waits_for_unbegun() const {
  constexpr std::uint64_t certain = 1 << 12;
  const Launch& launch = block_->launch();
  return vain_flags_ >= certain && !launch.sample.ended_early && launch.blocks > launch.capacity();
}

void Scheduler::check_limits(const Place& place) {
  if (launch().options.sampled_blocks > 0) {
    if (waits_for_unbegun()) {
      const void* const code = running.thread->poll.code;
      incidents_.add(incident(code ? before(code) : place, NeverResident{launch().capacity()}));
    }
    end_early();
  }
  work_ -= std::min(work_, std::exchange(polls_, 0));
  const std::uint64_t total = launch().work.fetch_add(work_) + work_;
  work_ = 0;
  if (launches_end) launch().abort(no_order - 1, cudaSuccess);
  if (launches_end || block_->order() > launch().abort_order) abandon();
  launch().tell_if_slow();
  if (launch().work_alone(total) < launch().options.access_limit) return;
  abort(incident(place, Timeout{}), cudaErrorLaunchTimeout);
}

inline void Scheduler::check_stack() {
  if (Fibers::stack_intact(*fibers_.active())) [[likely]]
    return;
  abort(incident(running.thread->place, StackOverflow{}), cudaErrorHardwareStackError);
}

Incident Scheduler::incident(const Place& place, const Fault& fault) const {
  return block_->incident(place, running.thread->id, fault);
}

SharedAccess Scheduler::shared_access(std::uintptr_t offset, unsigned size, Access how) const {
  SharedAccess access{offset, size, writes(how), accessor(how)};
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

void Scheduler::end_early() {
  launch().sample.ended_early = ended_early_ = true;
  fibers_.abandon_all();
}

void Scheduler::abort_stuck() {
  block_->note_partial_registers(incidents_);
  abort(block_->deadlock(), cudaErrorLaunchTimeout);
}

void Scheduler::abandon() {
  aborted_ = true;
  fibers_.abandon_all();
}

}  // namespace kata::emulator
