#include "emulator/runtime/check/async_proxy.h"

#include <algorithm>
#include <utility>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/check/mbarriers.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

constexpr std::uint64_t each_byte(SharedState state) {
  return 0x0101010101010101 * state;
}

/// Whether every byte is written, and no copy to it is on its way.
bool is_ready(const SharedRange& range) {
  for (std::uintptr_t at = range.low; at < range.low + range.bytes; at += 8) {
    const auto state = load<std::uint64_t>(reinterpret_cast<const void*>(at + shared_span));
    if (state != each_byte(written) && state != each_byte(being_read)) return false;
  }
  return true;
}

/// Reports what is wrong with its bytes. False: some of them do not exist.
bool check_states(const SharedRange& range, Access how, const void* code) {
  const std::uintptr_t offset = range.low - running.shared_low;
  const auto* state = reinterpret_cast<const std::uint8_t*>(range.low + shared_span);
  bool exists = offset < shared_span && range.bytes <= shared_span - offset;
  for (unsigned at = 0; exists && at < range.bytes; at += 4) {
    if (std::count(state + at, state + at + 4, written) == 4) continue;
    check_shared(offset + at, 4, how, code);
    exists = std::find(state + at, state + at + 4, absent) == state + at + 4;
  }
  return exists;
}

}  // namespace

std::uint64_t begin_async_read(Access how, std::vector<SharedRange> ranges, const void* code) {
  Block& block = running.scheduler->block();
  std::erase_if(ranges, [&](const SharedRange& range) {
    if (range.low - running.shared_low < shared_span && is_ready(range)) return false;
    return !check_states(range, how, code);
  });
  for (const SharedRange& range : ranges) check_async_read(range.low, range.bytes, how, code);
  return block.async_reads().add(accessor(how), code, std::move(ranges));
}

void check_swizzle(const std::vector<std::uintptr_t>& cells, unsigned span, const void* code) {
  Scheduler& scheduler = *running.scheduler;
  const TileSwizzles& swizzles = scheduler.block().tile_swizzles();
  for (const std::uintptr_t cell : cells) {
    const std::uintptr_t offset = cell - running.shared_low;
    if (offset >= shared_span) continue;
    const unsigned copied = swizzles.at(cell);
    if (copied == 0 || copied == span) continue;
    const Mark write = load_mark(&shared_shadow(running.shared_low, offset)->write);
    if (write.kind() != Mark::is_async) continue;  // a thread has written there since
    const SwizzleDiffers fault{scheduler.shared_access(offset, 16, Access::matrix_read),
                               before(write.code()), copied, span};
    scheduler.incidents().add(scheduler.incident(before(code), fault));
    return;
  }
}

void end_async_read(std::uint64_t number) {
  const AsyncRead read = running.scheduler->block().async_reads().take(number);
  for (const SharedRange& range : read.ranges) mark_async_read(range.low, range.bytes, read.code);
}

void end_matrix_read(std::uint64_t number, unsigned warpgroup) {
  Block& block = running.scheduler->block();
  block.matrix_reads().add(block.async_reads().take(number), warpgroup);
}

void wait_for_matrix_read(std::uint64_t number) {
  running.scheduler->block().matrix_reads().add_wait(number, running.order.me);
}

void check_matrix_reads(Block& owner, std::uintptr_t address, unsigned bytes, const void* code) {
  Scheduler& scheduler = *running.scheduler;
  const BlockOrder& order = scheduler.block().accesses();
  std::uint64_t checked = 0;
  for (const std::uintptr_t end = address + bytes; address < end; address += 16) {
    owner.matrix_reads().take(address, [&](const MatrixReads::Read& read, std::uint64_t number) {
      if (std::exchange(checked, number) == number) return;
      const auto is_over = [&](std::uint64_t wait) {
        return order.comes_before({wait, 0}, running.thread->id);
      };
      if (std::any_of(read.waits.begin(), read.waits.end(), is_over)) return;
      const SharedAccess access =
          scheduler.shared_access(address - running.shared_low, 16, Access::async_write);
      scheduler.incidents().add(scheduler.incident(
          before(code), AsyncStillReads{access, before(read.code), Accessor::wgmma}));
    });
  }
}

void check_global_source(std::uintptr_t address, unsigned bytes, const void* code) {
  const std::uintptr_t offset = address - arena_low;
  if (offset >= arena_bytes || bytes > arena_bytes - offset || is_input<4>(offset)) return;
  Scheduler& scheduler = *running.scheduler;
  const Launch& launch = scheduler.launch();
  const BlockOrder& order = scheduler.block().accesses();
  const unsigned me = running.thread->id;
  const auto is_fenced = [&](const Mark& write) {
    if (write.block() == order.number()) return order.is_fenced_in_global(write, me);
    const std::uint64_t writer = (write.block() - launch.own_first) % launch.blocks;
    return order.has_fenced_global(me) || launch.proxy_fences.latest(writer) > write.clock();
  };
  std::uint64_t checked = 0;  // rows are written by few threads at a time
  for (unsigned at = 0; at < bytes; at += 4) {
    const Mark write = load_mark(&global_shadow(offset + at)->write);
    if (write.who == checked || !launch.has_number(write.block())) continue;
    checked = write.who;
    if (write.kind() == Mark::is_async || write.many() != Mark::one) continue;
    if (is_fenced(write) || !order.comes_before(write, me)) continue;
    const AsyncNotFenced fault{MemoryAccess{address + at, 4, false}, before(write.code()),
                               write.thread(), false};
    scheduler.incidents().add(scheduler.incident(before(code), fault));
    return;
  }
}

void fence_async_proxy(bool shared, bool global) {
  Scheduler& scheduler = *running.scheduler;
  scheduler.settle();
  BlockOrder& order = scheduler.block().accesses();
  order.fence_proxy(running.thread->id, shared, global);
  if (shared) fence_mbarriers();
  if (global && scheduler.launch().blocks > 1)
    scheduler.launch().proxy_fences.add(scheduler.block().order(), order.clock());
}

}  // namespace kata::emulator
