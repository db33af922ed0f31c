#include "emulator/runtime/run/fiber.h"

#include <sys/mman.h>

#ifndef __x86_64__
#include <boost/context/detail/fcontext.hpp>
#endif

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <new>
#include <thread>

#include "emulator/runtime/launch/limits.h"

namespace kata::emulator {
namespace {

constexpr std::size_t below_bytes = 1 << 20;
constexpr std::size_t stride = fiber_stack_bytes + guard_bytes;
constexpr std::size_t canary_words = 16;
constexpr std::uint64_t canary = 0x6b6174615f656e64;

// On kernels before Linux 6.13 a guard page costs two of the kernel's memory mappings, of which a
// process may have max_map_count: beyond half of those, stacks have a canary instead of one.
std::atomic<long> guards_left = [] {
  long limit = 65530;
  std::ifstream("/proc/sys/vm/max_map_count") >> limit;
  return limit / 4;
}();

bool make_guard(void* low) {
  constexpr int guard_install = 102;  // MADV_GUARD_INSTALL, which older headers do not have
  const bool may_map = guards_left.fetch_sub(1) > 0;  // in any case: keep_few() gives back all
  return madvise(low, guard_bytes, guard_install) == 0 ||
         (may_map && mprotect(low, guard_bytes, PROT_NONE) == 0);
}

void write_canary(const Fiber& fiber) {
  auto* words = reinterpret_cast<std::uint64_t*>(fiber.stack_low);
  std::fill_n(words, canary_words, canary);
}

#ifdef __x86_64__
/// What switch_stacks() goes on at: the body, which returns to nowhere.
void* new_stack(std::uintptr_t top, Fibers::Body body) {
  auto** words = reinterpret_cast<void**>(top & ~std::uintptr_t{15});
  *--words = nullptr;
  *--words = reinterpret_cast<void*>(body);
  return words;
}
#else
namespace context = boost::context::detail;

thread_local Fibers::Body body_of_next;

void came_from(context::transfer_t from) {
  *static_cast<void**>(from.data) = from.fctx;
}

void* new_stack(std::uintptr_t top, Fibers::Body body) {
  body_of_next = body;
  return context::make_fcontext(reinterpret_cast<void*>(top), fiber_stack_bytes - guard_bytes,
                                [](context::transfer_t from) {
                                  came_from(from);
                                  body_of_next();
                                });
}
#endif

}  // namespace

#ifndef __x86_64__
void switch_stacks(void** from, void* to) {
  came_from(context::jump_fcontext(to, from));
}
#endif

void Fibers::make_more() {
  const std::size_t count = all_.empty() ? 64 : 256;
  // Below the lowest stack lies more than a frame that skips its guard page is likely to need.
  void* reserved = mmap(nullptr, below_bytes + stride * count, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (reserved == MAP_FAILED) throw std::bad_alloc();
  char* memory = static_cast<char*>(reserved) + below_bytes;
  if (mprotect(memory, stride * count, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  mappings_.push_back({memory, stride * count});
  for (std::size_t i = 0; i < count; ++i) {
    char* low = memory + stride * i;
    Fiber fiber;
    fiber.stack_low = reinterpret_cast<std::uintptr_t>(low) + guard_bytes;
    fiber.guarded = make_guard(low);
    if (!fiber.guarded) write_canary(fiber);
    all_.push_back(fiber);
  }
  // The fiber at the lowest address is taken first, and used again as soon as it is idle.
  for (std::size_t i = count; i > 0; --i) idle_.push_back(&all_[all_.size() - count + i - 1]);
}

Fiber* Fibers::take() {
  if (idle_.empty()) make_more();
  Fiber* fiber = idle_.back();
  idle_.pop_back();
  return fiber;
}

void Fibers::begin(Fiber* fiber) {
  // Stacks of equal layout would meet in the same cache sets: their tops are staggered.
  const std::size_t stagger = 64 + begun_++ % 32 * 64;
  const std::uintptr_t top = fiber->stack_low + fiber_stack_bytes - stagger;
  fiber->context = new_stack(top, body_);
}

void Fibers::reset() {
  idle_.clear();
  for (auto fiber = all_.rbegin(); fiber != all_.rend(); ++fiber) {
    fiber->context = nullptr;
    idle_.push_back(&*fiber);
    if (!fiber->guarded) write_canary(*fiber);
  }
  active_ = &main_;
}

void Fibers::keep_few() {
  // What all OS threads keep is a quarter of the lanes that a device holds, or a block's each.
  constexpr std::size_t device_lanes =
      std::size_t{limits::multiprocessors} * limits::threads_per_multiprocessor;
  constexpr std::size_t block_lanes = limits::threads_per_block;
  static const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  static const std::size_t most = std::max(block_lanes, device_lanes / 4 / cores);
  if (idle_.size() < all_.size() || all_.size() <= most) return;
  while (all_.size() > most) {
    const Mapping last = mappings_.back();
    const std::size_t count = last.bytes / stride;
    munmap(static_cast<char*>(last.low) - below_bytes, below_bytes + last.bytes);
    guards_left += static_cast<long>(count);
    mappings_.pop_back();
    all_.resize(all_.size() - count);
  }
  reset();
}

void Fibers::abandon_all() {
  reset();
  void* nobody;
  switch_stacks(&nobody, main_.context);
  __builtin_unreachable();
}

bool Fibers::holds(std::uintptr_t address) const {
  for (const Mapping& mapping : mappings_) {
    if (address - reinterpret_cast<std::uintptr_t>(mapping.low) < mapping.bytes) return true;
  }
  return false;
}

bool Fibers::canary_intact(const Fiber& fiber) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (here - fiber.stack_low >= fiber_stack_bytes) return false;
  const auto* words = reinterpret_cast<const std::uint64_t*>(fiber.stack_low);
  return std::all_of(words, words + canary_words, [](auto word) { return word == canary; });
}

}  // namespace kata::emulator
