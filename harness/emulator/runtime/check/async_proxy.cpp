#include "emulator/runtime/check/async_proxy.h"

#include <algorithm>
#include <utility>

#include "emulator/runtime/check/access.h"
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

/// Tells what is wrong with its bytes. False: some of them do not exist.
bool check_states(const SharedRange& range, const void* code) {
  const std::uintptr_t offset = range.low - running.shared_low;
  const auto* state = reinterpret_cast<const std::uint8_t*>(range.low + shared_span);
  bool exists = offset < shared_span && range.bytes <= shared_span - offset;
  for (unsigned at = 0; exists && at < range.bytes; at += 4) {
    if (std::count(state + at, state + at + 4, written) == 4) continue;
    check_shared(offset + at, 4, Access::async_read, code);
    exists = std::find(state + at, state + at + 4, absent) == state + at + 4;
  }
  return exists;
}

}  // namespace

std::uint64_t begin_async_read(AsyncReader by, std::vector<SharedRange> ranges, const void* code) {
  Block& block = running.scheduler->block();
  std::erase_if(ranges, [&](const SharedRange& range) {
    if (range.low - running.shared_low < shared_span && is_ready(range)) return false;
    return !check_states(range, code);
  });
  for (const SharedRange& range : ranges) check_async_read(range.low, range.bytes, code);
  return block.async_reads().add(by, code, std::move(ranges));
}

void end_async_read(std::uint64_t number, bool leaves_marks) {
  const AsyncRead read = running.scheduler->block().async_reads().take(number);
  if (!leaves_marks) return;
  for (const SharedRange& range : read.ranges) mark_async_read(range.low, range.bytes, read.code);
}

void fence_async_proxy() {
  running.scheduler->settle();
  running.scheduler->block().accesses().fence_proxy(running.thread->id);
}

}  // namespace kata::emulator
