#include "emulator/runtime/check/races.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/check/mbarriers.h"
#include "emulator/runtime/memory/variables.h"
#include "emulator/runtime/run/scheduler.h"
#include "emulator/runtime/run/shared_window.h"

namespace kata::emulator {
namespace {

Mark::Kind kind_of(Access access) {
  if (is_plain(access)) return Mark::plain;
  if (in_async_proxy(access)) return Mark::is_async;
  return access == Access::volatile_read || access == Access::volatile_write ? Mark::is_volatile
                                                                             : Mark::is_atomic;
}

/// Accesses of these kinds do not race with each other.
bool may_share(Mark::Kind kind) {
  return kind == Mark::is_volatile || kind == Mark::is_atomic;
}

/// An access of the running thread to one word.
struct Visit {
  std::uintptr_t address;
  unsigned bytes;
  Access access;
  const void* code;
  bool in_shared;
  Scheduler& scheduler;
  BlockOrder& order;
  unsigned thread;
  unsigned size = 4;               ///< of the whole access
  bool is_of_block_scope = false;  ///< an atomic that is none for other blocks

  bool comes_after(const Mark& mark) const {
    if (in_shared && !order.in_cluster(mark.block())) return true;
    if (is_of_other_launch(mark)) return !unordered_work(mark);
    const bool is_known = order.comes_before(mark, thread);
    if (is_known) {
      if (mark.many() == Mark::one) running.known = mark.who;
    } else if (mark.block() == order.number()) {
      running.unknown = mark.who;
      running.many_unknown = mark.many();
    }
    return is_known;
  }
  /// Of one before, or beside it, or of this launch before the last grid.sync().
  bool is_of_other_launch(const Mark& mark) const {
    const Launch& launch = scheduler.launch();
    const std::uint64_t number = mark.block();
    if (number < launch.first_number) return true;
    return launch.runner && number - launch.first_number >= launch.wanted_blocks;
  }
  /// The work that made the mark, if it may still be at it: in another stream.
  std::shared_ptr<const StreamWork> unordered_work(const Mark& mark) const {
    const Launch& launch = scheduler.launch();
    const std::uint64_t number = mark.block();
    if (number < launch.first_unordered || launch.has_number(number)) return nullptr;
    const StreamOrder& streams = StreamOrder::instance();
    const bool early = launch.before_dependency && !order.has_met_dependency(thread);
    auto work = streams.unordered(mark, early ? *launch.before_dependency : *launch.before);
    if (work && launch.runner && streams.is_known(mark, order.known_to(thread))) return nullptr;
    return work;
  }
  /// Of this launch since the last grid.sync(), or of one that is under way at the same time.
  bool is_of_now(const Mark& mark) const {
    return !is_of_other_launch(mark) || (scheduler.launch().runner && unordered_work(mark));
  }
  bool same_warp(const Mark& mark) const {
    return mark.block() == running.order.me >> Mark::block_low && mark.thread() / 32 == thread / 32;
  }
  /// How far apart the two threads are.
  Mark::Many distance(const Mark& mark) const {
    if (mark.block() != running.order.me >> Mark::block_low) return Mark::blocks;
    return same_warp(mark) ? Mark::lanes : Mark::warps;
  }
  bool looks_at_other_block(const Mark& mark) const {
    return !in_shared && distance(mark) == Mark::blocks && is_of_now(mark);
  }
  /// A volatile value that another block wrote before a flag which this thread has read already.
  bool is_stale(const Mark& mark) const {
    return mark.kind() == Mark::is_volatile && mark.many() == Mark::one &&
           looks_at_other_block(mark) &&
           order.has_passed(mark, thread, code, Word::at(address, size));
  }
  bool races_with(const Mark& mark) const {
    if (!(mark.bytes() & bytes)) return false;
    if (may_share(kind_of(access)) && may_share(mark.kind())) {
      // Atomics never race. Volatile accesses may wait for each other, but lanes of one warp that
      // leave out __syncwarp() in shared memory mean that they run in step, which they do not.
      const bool in_step = in_shared && same_warp(mark) && mark.kind() == Mark::is_volatile &&
                           kind_of(access) == Mark::is_volatile;
      const bool is_narrow = is_of_block_scope && looks_at_other_block(mark);
      if (!in_step && !is_narrow && !(access == Access::volatile_read && is_stale(mark)))
        return false;
    }
    return !comes_after(mark) && !was_last(mark);
  }
  /// Of all that changed the word atomically this thread was the last: what it does there now comes
  /// after the others', which it has seen, without a fence (PTX: observation order, then program
  /// order).
  bool was_last(const Mark& mark) const {
    return mark.kind() == Mark::is_atomic && mark.block() == order.number() &&
           mark.thread() == thread;
  }
  Mark mark() const {
    return {running.order.me, Mark::what_of(code, Mark::one, kind_of(access), bytes)};
  }
};

/// The incident's place is the side whose code comes later, so that a pair is one incident in
/// either order.
Incident race_of(const Visit& visit, const Mark& mark, bool mark_is_write) {
  const Launch& launch = visit.scheduler.launch();
  const auto size = static_cast<unsigned>(std::popcount(visit.bytes));
  Race race{
      .access = {},
      .kind = kind_of(visit.access),
      .other = {before(mark.code()), launch.index_of(mark.block() - launch.first_number),
                mark.thread(), mark.kind(), mark_is_write,
                mark.kind() == Mark::is_async ? Accessor::bulk_copy : Accessor::thread},
      .distance = std::max(mark.many(), visit.distance(mark)),
      .lacks_acquire = mark_is_write && !writes(visit.access) &&
                       (visit.order.lacks_acquire(mark, visit.thread) || visit.is_stale(mark)),
      .is_of_block_scope = visit.is_of_block_scope && visit.looks_at_other_block(mark),
      .barrier = visit.scheduler.block().last_barrier()};
  if (visit.in_shared) {
    race.access =
        visit.scheduler.shared_access(visit.address - running.shared_low, size, visit.access);
  } else {
    race.access = MemoryAccess{visit.address, size, writes(visit.access)};
  }
  Incident incident = visit.scheduler.incident(before(visit.code), race);
  if (mark.code() > visit.code) swap_sides(incident);
  return incident;
}

void tell(const Visit& visit, const Mark& mark, bool mark_is_write) {
  if (visit.is_of_other_launch(mark)) {
    const auto size = static_cast<unsigned>(std::popcount(visit.bytes));
    const bool is_dependency =
        !StreamOrder::instance().unordered(mark.block(), *visit.scheduler.launch().before);
    const auto work = visit.unordered_work(mark);
    const Place place = work->is_kernel ? before(mark.code()) : work->place;
    const auto narrow_fence = visit.order.narrow_fence(mark, visit.thread);
    const StreamRace race{{visit.address, size, writes(visit.access)},
                          {work, place, mark_is_write},
                          is_dependency,
                          narrow_fence};
    visit.scheduler.incidents().add(visit.scheduler.incident(before(visit.code), race));
    return;
  }
  Incident race = race_of(visit, mark, mark_is_write);
  if (mark.kind() == Mark::is_async && mark_is_write && !visit.scheduler.incidents().has(race))
    std::get<Race>(race.fault).phase =
        phase_of_copy(*block_of_shared(visit.address), visit.address);
  if (!visit.in_shared && visit.distance(mark) == Mark::blocks)
    visit.scheduler.launch().order_matters = true;
  const bool one_instruction = visit.access == Access::write && mark_is_write &&
                               mark.kind() == Mark::plain && mark.code() == visit.code &&
                               visit.same_warp(mark);
  if (one_instruction) {
    visit.scheduler.equal_writes().add(race, visit.address, visit.scheduler.incidents());
  } else {
    visit.scheduler.incidents().add(race);
  }
}

/// Whether a read in a stream of its own may still go on while this one, in the default stream,
/// reads the same: what the default stream writes next comes after this one, and not after that.
/// So may a read by a peer of the device that has the memory, and reads it itself.
bool is_more_at_risk(const Visit& visit, const Mark& read) {
  const Launch& launch = visit.scheduler.launch();
  const bool is_owner =
      launch.runner && !visit.in_shared &&
      visit.address - running.reach_low < running.reach_bytes &&
      DeviceMemory::instance().part_of(visit.address) == static_cast<std::size_t>(launch.device);
  return (launch.in_default_stream || is_owner) && visit.is_of_other_launch(read) &&
         visit.unordered_work(read);
}

/// The mark of what several threads did to a word, with nothing to order them: its `many` says how
/// far apart they are.
Mark joined(const Visit& visit, const Mark& mark) {
  const Mark mine = visit.mark();
  if (mark.many() == Mark::one && mark.who == mine.who) return {mine.who, mine.what | mark.bytes()};
  // Bytes of two threads in one mark would be taken for each other's.
  if (mark.bytes() != visit.bytes || visit.is_of_other_launch(mark) || visit.comes_after(mark))
    return mine;
  const Mark::Many many = std::max(mark.many(), visit.distance(mark));
  // The one that is reported is plain if either is. Marks of many blocks are never earlier.
  const Mark& reported = mark.kind() == Mark::plain || mine.kind() != Mark::plain ? mark : mine;
  const std::uint64_t clock = many == Mark::blocks ? Mark::clock_mask : mine.who & Mark::clock_mask;
  const std::uint64_t who =
      mark.block() << Mark::block_low | clock | Mark::many_bit | mark.thread();
  return {who, Mark::what_of(reported.code(), many, reported.kind(), mark.bytes())};
}

/// The mark of this read, and of those before. Not of those that come before all that this warp
/// does now: they would be taken to be as late as this one.
Mark joined_reads(const Visit& visit, const Mark& read) {
  const Mark mine = visit.mark();
  const bool is_before =
      read.clock() < mine.clock() && visit.order.may_depend_on(read, visit.thread);
  return is_before ? mine : joined(visit, read);
}

/// The mark of this access, which replaces `write`.
Mark marked(const Visit& visit, const Mark& write) {
  Mark mark = visit.mark();
  if (kind_of(visit.access) == Mark::is_atomic && write.kind() == Mark::is_atomic) {
    constexpr std::uint64_t latest = ~(Mark::clock_mask | Mark::many_bit);
    const Mark all = joined(visit, write);
    return {(mark.who & latest) | (all.who & ~latest), all.what};
  }
  if (write.who == mark.who) mark.what |= write.bytes();
  return mark;
}

/// Plain writes that an atomic's mark has replaced: another stream's atomics may not come after
/// them.
class ReplacedWrites {
 public:
  void keep(std::uintptr_t address, const Mark& write) {
    constexpr std::size_t most = 4096;
    const std::lock_guard lock(mutex_);
    if (marks_.size() >= most) marks_.clear();
    marks_[address] = write;
  }
  std::optional<Mark> of(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    const auto found = marks_.find(address);
    return found != marks_.end() ? std::optional(found->second) : std::nullopt;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::uintptr_t, Mark> marks_;
};

/// An atomic of a program with streams: whether it may come before a write that the one before it,
/// in another stream, comes after.
void check_replaced(const Visit& visit, const Mark& before) {
  static ReplacedWrites replaced;
  if (visit.in_shared || !StreamOrder::instance().has_streams()) return;
  if (before.kind() != Mark::is_atomic) {
    replaced.keep(visit.address, before);
  } else if (visit.is_of_other_launch(before) && visit.unordered_work(before)) {
    const std::optional<Mark> write = replaced.of(visit.address);
    if (write && visit.races_with(*write)) tell(visit, *write, true);
  }
}

/// What many threads only read stays in the caches of all OS threads.
void update(Mark& at, const Mark& old, const Mark& mark) {
  if (!same_mark(old, mark)) store_mark(&at, mark);
}

/// An access to what atomics use, in global memory, of a launch whose blocks all run: whether its
/// block relies on being the last, where no fence has made that mean anything.
void check_tickets(const Visit& visit) {
  Launch& launch = visit.scheduler.launch();
  if (launch.runner || launch.sample.chosen > 0 || launch.blocks == 1) return;
  const auto change = launch.tickets.relied_on(visit.address, visit.order.number(), visit.code,
                                               launch.blocks, launch.os_threads);
  if (change && !launch.flags->deals_from(visit.address)) {
    Incident race = race_of(visit, *change, true);
    std::get<Race>(race.fault).lacks_acquire = true;
    visit.scheduler.incidents().add(race);
  }
  if (visit.access == Access::atomic)
    launch.tickets.draw(visit.address, visit.order.number(),
                        visit.order.unfenced_changes(visit.thread, visit.address, visit.code));
  if (kind_of(visit.access) == Mark::is_atomic && writes(visit.access))
    visit.order.change({visit.address, visit.mark()});
}

/// A flag that the thread has read, and goes on from. Only now: another block may have set it
/// between the check of the read and the read itself.
void pass_flag(const Visit& visit, const Flags& flags) {
  const Look look = visit.order.end_look(visit.thread);
  if (!look.shadow || (look.address == visit.address && look.code == visit.code)) return;
  const Mark write = load_mark(&look.shadow->write);
  if (write.block() != visit.order.number() && visit.is_of_now(write) && may_share(write.kind()) &&
      write.many() == Mark::one && !(look.adds && flags.deals_from(look.address)))
    visit.order.pass(visit.thread, write, look.code, Word::at(look.address, look.size));
}

}  // namespace

void check_word(Shadow& shadow, std::uintptr_t address, unsigned bytes, Access access,
                const void* code, unsigned size) {
  Scheduler& scheduler = *running.scheduler;
  const Visit visit{address,
                    bytes,
                    access,
                    code,
                    address - running.shared_low < shared_span,
                    scheduler,
                    scheduler.block().accesses(),
                    running.thread->id,
                    size,
                    kind_of(access) == Mark::is_atomic && running.block_scope == address};
  if (visit.is_of_block_scope) running.block_scope = 0;
  Flags& flags = *scheduler.launch().flags;
  Mark write = load_mark(&shadow.write);
  const Mark read = load_mark(&shadow.read);
  visit.order.has_looked(visit.thread, flags);
  pass_flag(visit, flags);
  if (access == Access::compare && read.who >= running.order.launch_first &&
      (read.many() != Mark::one || read.thread() == visit.thread))
    scheduler.confirmed_reads().insert(before(read.code()).code);
  const bool adds = access == Access::atomic;
  if (adds && visit.order.adds_again(visit.thread, address)) flags.deal_from(address);
  const bool is_flag = may_share(kind_of(access));
  if (is_flag && writes(access)) visit.order.publish(visit.thread, address, flags);
  if (visit.races_with(write)) {
    tell(visit, write, true);
  } else if (writes(access) && visit.races_with(read) &&
             !visit.order.may_depend_on(read, visit.thread)) {
    tell(visit, read, false);
  }
  if (!writes(access)) {
    if (!is_more_at_risk(visit, read)) update(shadow.read, read, joined_reads(visit, read));
  } else {
    while (!replace_mark(&shadow.write, write, marked(visit, write))) {
      write = load_mark(&shadow.write);
      if (visit.races_with(write)) tell(visit, write, true);
    }
    if (kind_of(access) == Mark::is_atomic) check_replaced(visit, write);
  }
  if (visit.in_shared) {
    clear_stamp(shared_stamp(address));
  } else if (address - arena_low < arena_bytes) {
    clear_stamp(global_stamp(address));
  }
  if (is_flag && !visit.in_shared) check_tickets(visit);
  if (is_flag && access != Access::volatile_write && access != Access::atomic_write) {
    visit.order.look_at(visit.thread, address, flags);
    if (scheduler.launch().runner) {
      scheduler.has_polled();
      running.thread->poll = {address, size, code};
    } else if (!writes(access)) {
      scheduler.has_read_flag({address, size, code});
    }
  }
  if (is_flag && reads(access) && !visit.in_shared) {
    visit.order.begin_look(visit.thread, {&shadow, address, size, code, adds});
    if (!writes(access) && visit.looks_at_other_block(write)) scheduler.launch().blocks_wait = true;
  }
  if (access == Access::volatile_write && !visit.in_shared) visit.order.end_volatile_write();
}

std::vector<Incident> causes(std::vector<Incident> incidents,
                             const std::set<const void*>& confirmed) {
  const auto is_confirmed = [&](const Incident& incident) {
    const auto* race = std::get_if<Race>(&incident.fault);
    return race && ((race->kind == Mark::is_atomic && confirmed.count(race->other.place.code)) ||
                    (race->other.kind == Mark::is_atomic && confirmed.count(incident.place.code)));
  };
  std::erase_if(incidents, is_confirmed);
  std::set<Place> raced, missed, swizzled, read_early;
  std::set<std::pair<std::uint64_t, unsigned>> stray;  // threads that left their buffers
  bool is_partial = false;
  for (const Incident& incident : incidents) {
    const auto* race = std::get_if<Race>(&incident.fault);
    if (std::holds_alternative<OutOfBounds>(incident.fault) ||
        std::holds_alternative<IllegalAddress>(incident.fault))
      stray.insert({incident.order, incident.thread});
    if (race) raced.insert({incident.place, race->other.place});
    if (std::holds_alternative<PhaseMissed>(incident.fault)) missed.insert(incident.place);
    if (std::holds_alternative<SwizzleDiffers>(incident.fault)) swizzled.insert(incident.place);
    is_partial |= std::holds_alternative<RegistersPartial>(incident.fault);
    const auto* early = std::get_if<RegistersEarly>(&incident.fault);
    if (early && !early->is_write) read_early.insert(early->wgmma);
  }
  const auto is_consequence = [&](const Incident& incident) {
    if (const auto* deadlock = std::get_if<Deadlock>(&incident.fault))
      return missed.count(incident.place) || (is_partial && deadlock->at == WaitsAt::registers);
    if (std::holds_alternative<IntegerOverflow>(incident.fault))  // of a hash, say
      return !stray.empty() && !stray.count({incident.order, incident.thread});
    const auto* early = std::get_if<RegistersEarly>(&incident.fault);
    if (early && early->is_write && read_early.count(early->wgmma)) return true;
    const bool is_shared = std::holds_alternative<SharedUninitialized>(incident.fault);
    if (swizzled.count(incident.place) || swizzled.count(other_place(incident)))
      return !std::holds_alternative<SwizzleDiffers>(incident.fault);
    return (is_shared || std::holds_alternative<Uninitialized>(incident.fault)) &&
           raced.count(incident.place);
  };
  std::erase_if(incidents, is_consequence);
  return incidents;
}

void check_async_read(std::uintptr_t address, unsigned bytes, Access how, const void* code) {
  Scheduler& scheduler = *running.scheduler;
  BlockOrder& order = scheduler.block().accesses();
  const unsigned me = running.thread->id;
  order.has_looked(me, *scheduler.launch().flags);
  const Shadow* shadow = shared_shadow(running.shared_low, address - running.shared_low);
  std::uint64_t checked = 0;  // tiles are written by few threads at a time, a row each
  for (const std::uintptr_t end = address + bytes; address < end; address += 4, ++shadow) {
    const Mark write = load_mark(&shadow->write);
    if (write.who == checked || write.block() < order.cluster_first()) continue;
    checked = write.who;
    const Visit visit{address, 15, how, code, true, scheduler, order, me};
    if (visit.races_with(write)) {
      tell(visit, write, true);
    } else if (write.kind() != Mark::is_async && write.block() == order.number() &&
               !order.is_fenced_for_async(write, me)) {
      const AsyncNotFenced fault{scheduler.shared_access(address - running.shared_low, 4, how),
                                 before(write.code()), write.thread(),
                                 order.has_fenced_since(write, me)};
      scheduler.incidents().add(scheduler.incident(before(code), fault));
    }
  }
}

void mark_async_read(std::uintptr_t address, unsigned bytes, const void* code) {
  Shadow* shadow = shared_shadow(running.shared_low, address - running.shared_low);
  const Mark mark{running.order.me, Mark::what_of(code, Mark::one, Mark::is_async, 15)};
  for (unsigned i = 0; i < bytes; i += 4) {
    store_mark(&shadow++->read, mark);
    clear_stamp(shared_stamp(address + i));
  }
}

void check_barrier_use(std::uintptr_t address, const void* code) {
  Scheduler& scheduler = *running.scheduler;
  const Mark write =
      load_mark(&shared_shadow(running.shared_low, address - running.shared_low)->write);
  const Visit visit{
      address,           15, Access::atomic, code, true, scheduler, scheduler.block().accesses(),
      running.thread->id};
  visit.order.has_looked(visit.thread, *scheduler.launch().flags);
  if (visit.races_with(write)) tell(visit, write, true);
}

void check_read_only(std::uintptr_t address, unsigned bytes, const void* code) {
  const std::uintptr_t offset = address - arena_low;
  if (!running.is_checked) return;
  Scheduler& scheduler = *running.scheduler;
  const ModuleVariables& variables = *scheduler.launch().variables;
  const bool is_variable = variables.contain(address);
  if (!is_variable && (offset >= arena_bytes || is_input<4>(offset))) return;
  for (std::uintptr_t at = address; at < address + bytes; at = (at | 3) + 1) {
    const Mark write =
        load_mark(is_variable ? &variables.of(at).write : &global_shadow(at - arena_low)->write);
    const unsigned touched = bytes < 4 ? ((1u << bytes) - 1) << (at & 3) : 15;
    if (!scheduler.launch().has_number(write.block()) || !(write.bytes() & touched)) continue;
    const ReadOnlyWritten fault{{at, std::min(bytes, 4u), false}, before(write.code())};
    return scheduler.incidents().add(scheduler.incident(before(code), fault));
  }
}

void forget_writes(std::uintptr_t address, unsigned bytes) {
  Shadow* shadow = shared_shadow(running.shared_low, address - running.shared_low);
  for (unsigned i = 0; i < bytes; i += 4) store_mark(&shadow++->write, {});
}

void acquire(Scope scope, const void* code) {
  if (running.thread)
    running.scheduler->block().accesses().acquire_at_look(running.thread->id, scope, code);
}

void fence(Scope scope, const void* code) {
  charge_for_spinning();
  if (!running.thread) return;
  BlockOrder& order = running.scheduler->block().accesses();
  order.acquire(running.thread->id, *running.scheduler->launch().flags, scope, code);
  order.fence(running.thread->id, scope, code);
  if (scope >= Scope::device) publish_mbarriers(false);
}

}  // namespace kata::emulator
