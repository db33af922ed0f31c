#include "emulator/runtime/check/access.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "emulator/runtime/check/cluster_access.h"
#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/check/mbarriers.h"
#include "emulator/runtime/check/stream_races.h"
#include "emulator/runtime/launch/builtins.h"
#include "emulator/runtime/launch/host_copies.h"
#include "emulator/runtime/launch/streams.h"
#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/memory/locate.h"
#include "emulator/runtime/memory/padding.h"
#include "emulator/runtime/memory/variables.h"
#include "emulator/runtime/run/cluster.h"
#include "emulator/runtime/run/scheduler.h"
#include "emulator/runtime/run/shared_window.h"

namespace kata::emulator {

void note(const Fault& fault, const void* return_address) {
  Scheduler& scheduler = *running.scheduler;
  scheduler.incidents().add(scheduler.incident(before(return_address), fault));
}

void end_at(const Fault& fault, int error, const void* return_address) {
  Scheduler& scheduler = *running.scheduler;
  scheduler.abort(scheduler.incident(before(return_address), fault), error);
}

namespace {

/// What is read from nowhere is NaN. Only the byte that is not there: a float4 that straddles the
/// end of a buffer reads good ones before it.
void poison(std::uintptr_t address) {
  *reinterpret_cast<unsigned char*>(address) = 0xff;
}

/// An asynchronous copy is on its way to what is accessed.
void note_copy(const SharedAccess& accessed, Block& owner, std::uintptr_t address,
               const void* return_address) {
  Scheduler& scheduler = *running.scheduler;
  CopyNotArrived fault{accessed, {}, false};
  if (const AsyncCopy* copy = owner.copies().under_way(address, accessed.size)) {
    fault.copy = before(copy->code);
  } else {
    const Mark write = load_mark(&shared_shadow(running.shared_low, accessed.offset)->write);
    fault.is_bulk = write.kind() == Mark::is_async;
    if (fault.is_bulk) fault.copy = before(write.code());
  }
  Incident incident = scheduler.incident(before(return_address), fault);
  if (fault.is_bulk && !scheduler.incidents().has(incident)) {
    fault.phase = phase_of_copy(owner, address);
    incident.fault = fault;
  }
  scheduler.incidents().add(incident);
}

std::atomic<bool> thrust_is_expected = false;

/// caller_of_library(), remembered for each instruction.
const void* called_library(const void* return_address) {
  static std::mutex mutex;
  static std::unordered_map<const void*, const void*> callers;
  const std::lock_guard lock(mutex);
  const auto [known, is_new] = callers.try_emplace(return_address);
  if (is_new) known->second = caller_of_library();
  return known->second;
}

/// Marks bytes as written without losing a neighbour's mark in the same word.
void mark_written(std::uintptr_t offset, unsigned size) {
  for (unsigned i = 0; i < size; ++i) {
    const auto bit = static_cast<std::uint8_t>(1u << ((offset + i) & 3));
    __atomic_fetch_or(state_of(offset + i), bit, __ATOMIC_RELAXED);
  }
}

/// The same of a kernel's write.
void mark_first_write(std::uintptr_t offset, unsigned size) {
  Launch& launch = running.scheduler->launch();
  if (launch.options.sampled_blocks > 0) {
    constexpr std::int64_t price_of_page =
        256;  // it and its states and marks are new to the system
    const std::size_t pages = launch.sample.pages.size();
    launch.sample.wrote(arena_low + offset, size);
    if (launch.sample.pages.size() > pages) running.quantum -= price_of_page;
  }
  mark_written(offset, size);
}

void count_first_read(std::uintptr_t offset, unsigned size) {
  unsigned bytes = 0;
  for (unsigned i = 0; i < size; ++i) bytes += !may_read(byte_state(offset + i));
  running.scheduler->launch().sample.read_first(bytes);
  mark_written(offset, size);
}

/// The running thread reads what blocks may have to write that do not run.
void end_if_unknown() {
  if (running.scheduler->launch().sample.after_others) running.scheduler->end_early();
}

/// The same of device memory. What the streams leave unordered depends on no value.
void end_if_unknown(std::uintptr_t offset, unsigned size, Access access,
                    const void* return_address) {
  if (!running.scheduler->launch().sample.after_others) return;
  const unsigned bytes = size >= 4 ? 15 : ((1u << size) - 1) << (offset & 3);
  for (unsigned done = 0; done < size; done += 4)
    check_word(*global_shadow(offset + done), arena_low + offset + done, bytes, access,
               return_address);
  running.scheduler->end_early();
}

/// __device__ variables lie in global memory; __constant__ ones have a cache of their own.
void check_variable(std::uintptr_t address, unsigned size, Access access,
                    const void* return_address) {
  const Launch& launch = running.scheduler->launch();
  if (launch.variables->left(address, size)) {
    note(OutOfBounds{{address, size, writes(access)}}, return_address);
    return;
  }
  if (device_count() > 1) launch.variables->use(address, launch.device, writes(access));
  const bool is_constant = launch.variables->is_constant(address);
  if (is_constant) {
    if (writes(access)) note(ConstantModified{{address, size, true}}, return_address);
    if (writes(access) || !StreamOrder::instance().has_streams()) return;
  }
  if (reads(access) && !is_constant) end_if_unknown();
  const std::uintptr_t end = address + size;
  for (std::uintptr_t word = address & ~std::uintptr_t{3}; word < end; word += 4) {
    if (!launch.variables->contain(word)) break;  // a literal
    if (!is_constant) forbid_repeats();           // they are not compared
    const std::uintptr_t low = std::max(word, address), high = std::min(word + 4, end);
    const unsigned bytes = ((1u << (high - low)) - 1) << (low - word);
    check_word(launch.variables->of(word), low, bytes, access, return_address);
  }
  if (is_constant) return;
  const AccessKind kind = counted_as(access, AccessKind::global_load, AccessKind::global_store,
                                     AccessKind::global_atomic);
  const auto log2_width = std::min(static_cast<unsigned>(std::countr_zero(size)), 4u);
  ++running.counts.of(kind, log2_width);
  if (running.trace)
    record_access(kind, log2_width, address - arena_low, is_plain(access), return_address);
}

/// An access to the shared memory of another block of the cluster: the checks of the block's own
/// shared memory, of another's.
void check_cluster(Block& owner, std::uintptr_t address, unsigned size, Access access,
                   const void* return_address) {
  if ((address & (size - 1)) != 0) end_at_misaligned(address, size, access, return_address);
  const InSharedMemoryOf its(owner, address, size, writes(access), return_address);
  const std::uintptr_t offset = address - running.shared_low;
  const auto* state = reinterpret_cast<const std::uint8_t*>(address + shared_span);
  if (std::count(state, state + size, written) != size)
    check_shared(offset, size, access, return_address);
  for (unsigned done = 0; done < size; done += 4) {
    const unsigned bytes = size >= 4 ? 15 : ((1u << size) - 1) << (address & 3);
    check_word(*shared_shadow(running.shared_low, offset + done), address + done, bytes, access,
               return_address);
  }
}

/// Of a local variable, while its thread has wgmmas under way: some are registers of their D.
void check_registers(std::uintptr_t address, unsigned size, Access access,
                     const void* return_address) {
  Warpgroups& groups = running.scheduler->block().warpgroups();
  if (const RegistersInFlight* registers = groups.in_flight(address, size)) {
    note(RegistersEarly{writes(access), before(registers->code),
                        registers->last < groups.mine().me().committed},
         return_address);
  }
}

}  // namespace

void look_around(const void* return_address) {
  running.scheduler->look_around(before(return_address));
}

void look_for_accesses(const void* return_address) {
  running.watched_blocks = blocks_between_looks;
  running.blocks = running.watches_blocks() ? 0 : blocks_between_looks;
  if (running.is_checked) running.scheduler->look_for_accesses(before(return_address));
}

void profile_access(AccessKind kind, std::uint64_t address, const void* return_address) {
  Block& block = running.scheduler->block();
  running.scheduler->profiler().access(block.chains[running.thread->id], kind, address,
                                       return_address, block.order());
}

namespace {

/// A sample ends after a number of accesses: what tensor cores multiply counts as some.
void charge_sample(std::uint64_t multiply_adds) {
  constexpr std::uint64_t as_an_access = 32;
  if (running.scheduler->launch().options.sampled_blocks > 0)
    running.quantum -= static_cast<std::int64_t>(multiply_adds / as_an_access);
}

}  // namespace

void profile_product(MatrixElement type, std::uint64_t multiply_adds) {
  ++running.progress;  // a thread that waits for another block multiplies nothing
  if (running.lane == 0) charge_sample(multiply_adds);
  if (!running.is_profiled) return;
  Scheduler& scheduler = *running.scheduler;
  scheduler.block().chains[running.thread->id].multiply(&Steps::mma, multiply_adds);
  if (running.lane == 0) scheduler.profiler().mma(type, multiply_adds);
}

void profile_wgmma(MatrixElement type, std::uint64_t multiply_adds, bool is_last) {
  ++running.progress;
  if (is_last) charge_sample(multiply_adds);
  if (!running.is_profiled) return;
  Scheduler& scheduler = *running.scheduler;
  scheduler.block().chains[running.thread->id].multiply(&Steps::wgmma, multiply_adds);
  if (is_last) scheduler.profiler().wgmma(type, multiply_adds);
}

void wait_for_warp(const void* return_address) {
  running.scheduler->wait_for_warp(before(return_address));
}

void check_shared(std::size_t offset, unsigned size, Access access, const void* return_address) {
  const std::uintptr_t address = running.shared_low + offset;
  auto* state = reinterpret_cast<std::uint8_t*>(address + shared_span);
  // The last bytes of the span have their neighbour's state behind them: absent, as they are.
  const bool inside = std::find(state, state + size, absent) == state + size;
  Scheduler& scheduler = *running.scheduler;
  const SharedAccess accessed = scheduler.shared_access(offset, size, access);
  if (!inside) {
    note(SharedOutOfBounds{accessed}, return_address);
    for (unsigned i = 0; i < size && !writes(access); ++i) {
      if (state[i] == absent) poison(address + i);
    }
    return;
  }
  if (std::find(state, state + size, in_flight) != state + size)
    return note_copy(accessed, *block_of_shared(address), address, return_address);
  if (std::find(state, state + size, barrier) != state + size)
    return note(BarrierTouched{accessed}, return_address);
  if (writes(access) && std::find(state, state + size, being_read) != state + size) {
    const AsyncRead* read = block_of_shared(address)->async_reads().under_way(address, size);
    return note(AsyncStillReads{accessed, before(read->code), read->by}, return_address);
  }
  if (reads(access) && std::find(state, state + size, unwritten) != state + size &&
      !scheduler.launch().shared.is_padding(offset, state, size))
    note(SharedUninitialized{accessed}, return_address);
  if (writes(access)) std::fill_n(state, size, written);
}

void check_global(std::uintptr_t offset, unsigned size, Access access, const void* return_address) {
  const std::uintptr_t address = arena_low + offset;
  bool inside = true, all_written = true, is_input = false;
  for (unsigned i = 0; i < size; ++i) {
    const ByteState state = byte_state(offset + i);
    inside &= state != ByteState::absent;
    all_written &= may_read(state);
    is_input |= state == ByteState::input;
  }
  if (inside && !is_input && !reads(access)) return mark_first_write(offset, size);
  if (inside && !all_written && running.scheduler->launch().options.others_write_zeros)
    return count_first_read(offset, size);

  const auto owner = DeviceMemory::instance().owner(address);
  const MemoryAccess accessed{address, size, writes(access)};
  if (!owner) end_at(IllegalAddress{accessed}, cudaErrorIllegalAddress, return_address);
  if (!inside) {
    note(OutOfBounds{accessed}, return_address);
    for (unsigned i = 0; i < size && !writes(access); ++i) {
      if (byte_state(offset + i) == ByteState::absent) poison(address + i);
    }
    return;
  }
  const auto is_missing = [&](unsigned i) {
    return !may_read(byte_state(offset + i)) &&
           !is_padding(owner->padding, address + i - owner->low);
  };
  bool any_missing = false;
  for (unsigned i = 0; i < size && !all_written; ++i) any_missing |= is_missing(i);
  if (any_missing) {
    if (reads(access)) end_if_unknown(offset, size, access, return_address);
    note(Uninitialized{accessed}, return_address);
    for (unsigned i = 0; i < size && !owner->poisoned; ++i) {
      if (!may_read(byte_state(offset + i))) poison(address + i);
    }
  }
  if (is_input && writes(access) && !DeviceMemory::instance().begin_writes(address))
    note(InputModified{accessed}, return_address);
  if (writes(access)) mark_first_write(offset, size);
}

bool may_reach(std::uintptr_t address, unsigned size, Access access, const void* return_address) {
  if (address - arena_low >= arena_bytes) return false;
  const Launch& launch = running.scheduler->launch();
  const DeviceMemory& memory = DeviceMemory::instance();
  const std::size_t part = memory.part_of(address);
  const bool has_access = launch.reach.parts >> part & 1;
  if (has_access && !memory.has_pool(part)) return true;
  const auto owner = memory.owner(address);
  const bool is_allocated = owner && !owner->freed && owner->contains(address);
  if (!is_allocated || (has_access && !owner->pooled)) return true;
  const auto reverse = PeerAccess::instance().enabled(owner->device, launch.device);
  end_at(PeerMissing{{address, size, writes(access)}, owner->device, has_access, reverse},
         cudaErrorIllegalAddress, return_address);
}

void check_elsewhere(std::uintptr_t address, unsigned size, Access access,
                     const void* return_address) {
  Scheduler& scheduler = *running.scheduler;
  const std::uintptr_t stack_low = running.scheduler->fibers().active()->stack_low;
  if (address - stack_low < fiber_stack_bytes)
    return check_registers(address, size, access, return_address);
  const Launch& launch = scheduler.launch();
  if (Cluster* cluster = scheduler.block().cluster()) {
    if (Block* owner = cluster->owner_of(address))
      return check_cluster(*owner, address, size, access, return_address);
  }
  if (launch.module.contains(address)) return check_variable(address, size, access, return_address);
  if (address >= launch.params_low && address < launch.params_high) return;
  if (is_builtin(address)) return;
  if (DeviceMemory::instance().is_registered(address)) return forbid_repeats();
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (frame - stack_low >= fiber_stack_bytes)
    end_at(StackOverflow{}, cudaErrorHardwareStackError, return_address);
  if (scheduler.fibers().holds(address))
    end_at(ForeignLocal{writes(access)}, cudaErrorIllegalAddress, return_address);
  end_at(IllegalAddress{{address, size, writes(access)}}, cudaErrorIllegalAddress, return_address);
}

void end_at_misaligned(std::uintptr_t address, unsigned size, Access access,
                       const void* return_address, AccessedBy by) {
  if (by == AccessedBy::load_or_store && made_atomically(access)) by = AccessedBy::atomic;
  end_at(Misaligned{{address, size, writes(access)}, by}, cudaErrorMisalignedAddress,
         return_address);
}

namespace {

/// Whether host code reads here for at least the second time in turn.
bool is_looked_at_again(std::uintptr_t address) {
  static thread_local std::uintptr_t last = 0;
  return std::exchange(last, address) == address;
}

}  // namespace

void expect_thrust() {
  thrust_is_expected = true;
}

void unchecked_access(std::uintptr_t address, std::size_t size, Access access,
                      const void* return_address) {
  const bool is_write = writes(access);
  if (running.thread) {
    if (--running.quantum < 0) look_around(return_address);
    return;
  }
  if (address - arena_low >= arena_bytes) return;
  const auto owner = DeviceMemory::instance().owner(address);
  if (const void* caller = thrust_is_expected ? called_library(return_address) : nullptr) {
    // Thrust's algorithms run on the host here, and on a device in its default stream.
    StreamOrder& order = StreamOrder::instance();
    if (order.first_unordered_for_host() != ~std::uint64_t{0})
      order.host_waits_for(default_stream_of(current_device()));
    const std::size_t left =
        owner && !owner->freed && owner->contains(address) ? owner->high() - address : 0;
    if (is_write) mark_written(address - arena_low, static_cast<unsigned>(std::min(size, left)));
    if (size <= left) return;
    Findings::instance().add_host_incident(
        {before(caller), LibraryAccess{{address, static_cast<unsigned>(size), is_write}}});
    return;
  }
  if (owner && !owner->freed && owner->type != MemoryType::device) {
    if (!owner->contains(address)) return;
    if (reads(access) && (!is_plain(access) || is_looked_at_again(address)))
      Runner::host_polls(before(return_address));
    check_host_order(address, std::min(size, owner->high() - address), access, return_address);
    HostCopies::instance().add(reinterpret_cast<const void*>(address), size,
                               is_write ? CopyDirection::from_host : CopyDirection::to_host,
                               before(return_address));
    if (is_write) mark_written(address - arena_low, static_cast<unsigned>(size));
    return;
  }
  Findings::instance().add_host_incident(
      {before(return_address), HostAccess{{address, static_cast<unsigned>(size), is_write}}});
}

void check_range(std::uintptr_t address, std::size_t bytes, Access access,
                 const void* return_address) {
  const auto check = [&](auto piece) {
    constexpr unsigned size = decltype(piece)::value;
    switch (access) {
      case Access::write:
        check_access<size, Access::write>(address, return_address);
        break;
      case Access::volatile_write:
        check_access<size, Access::volatile_write>(address, return_address);
        break;
      case Access::volatile_read:
        check_access<size, Access::volatile_read>(address, return_address);
        break;
      default:
        check_access<size, Access::read>(address, return_address);
    }
    address += size;
    bytes -= size;
  };
  if (!running.is_checked) {
    if (bytes > 0) unchecked_access(address, bytes, access, return_address);
    return;
  }
  while (bytes > 0) {
    if (bytes >= 4 && address % 4 == 0) {
      check(std::integral_constant<unsigned, 4>{});
    } else if (bytes >= 2 && address % 2 == 0) {
      check(std::integral_constant<unsigned, 2>{});
    } else {
      check(std::integral_constant<unsigned, 1>{});
    }
  }
}

}  // namespace kata::emulator
