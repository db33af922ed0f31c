// What kernels call: barriers, warp operations, shared memory, printf.

#include <time.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/check/async_copies.h"
#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/launch/kernel_table.h"
#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/run/scheduler.h"

using namespace kata::emulator;

namespace {

/// True once the variable has its place in this block.
bool place_shared(SharedSlot& slot, Scheduler& scheduler) {
  Launch& launch = scheduler.launch();
  if (!launch.shared.place(slot, launch.id)) return false;
  scheduler.block().shared().extend(launch.shared);
  return true;
}

/// What the device would have said before the launch, had it known the static part.
void check_shared_total(Scheduler& scheduler, const SharedSlot& slot, bool placed) {
  const Launch& launch = scheduler.launch();
  const std::size_t statically = launch.shared.static_bytes() + (placed ? 0 : slot.size);
  const std::size_t total = statically + launch.config.shared_bytes;
  // Also for fewer than 48 KiB of dynamic shared memory, beside static one.
  const bool opted_in =
      launch.config.shared_bytes <= Kernels::instance().of(launch.config.function).allowed_dynamic;
  // Static shared memory beyond 48 KiB does not even compile.
  const std::size_t limit = opted_in && statically <= limits::shared_per_block
                                ? limits::shared_per_block_opt_in
                                : limits::shared_per_block;
  if (placed && total <= limit) return;
  const Place place{nullptr, launch.config.file, slot.line};
  scheduler.abort(scheduler.incident(place, SharedTooLarge{total, limit}), cudaErrorInvalidValue);
}

}  // namespace

int __kata_barrier(int kind, int predicate, const char* file, int line_and_counter) {
  if (!running.thread) return 0;
  return Scheduler::meet_block(static_cast<BarrierKind>(kind), predicate != 0, file,
                               line_and_counter);
}

unsigned __kata_activemask(const char* file, int line_and_counter) {
  Thread* thread = running.thread;
  if (!thread) return 0;
  running.scheduler->meet_active({nullptr, file, line_and_counter});
  return static_cast<unsigned>(thread->result);
}

unsigned long long __kata_warp(int op, unsigned mask, unsigned long long value, int argument,
                               int width) {
  if (!running.thread) return value;
  return Scheduler::meet_warp(static_cast<WarpOp>(op), mask, value, argument, width,
                              __builtin_return_address(0));
}

void __kata_block_scope(const volatile void* address) {
  if (running.is_checked) running.block_scope = reinterpret_cast<std::uintptr_t>(address);
}

unsigned __kata_operations() {
  return running.thread ? running.thread->operations : 0;
}

void __kata_left_loop(unsigned operations_before) {
  Thread* const thread = running.thread;
  if (thread && thread->operations != operations_before) ++thread->loops_left;
}

void* __kata_shared(SharedSlot* slot) {
  if (!running.thread) return nullptr;
  Scheduler& scheduler = *running.scheduler;
  SharedMemory& shared = scheduler.block().shared();
  if (__atomic_load_n(&slot->launch, __ATOMIC_ACQUIRE) != scheduler.launch().id ||
      !shared.covers(slot->offset + slot->size)) [[unlikely]]
    check_shared_total(scheduler, *slot, place_shared(*slot, scheduler));
  return reinterpret_cast<void*>(shared.low() + slot->offset);
}

void* __kata_dynamic_shared() {
  if (!running.thread) return nullptr;
  return reinterpret_cast<void*>(running.shared_low + dynamic_offset);
}

void __kata_set_padding(const void* memory, Padding padding) {
  if (in_arena(memory)) return DeviceMemory::instance().set_padding(memory, padding);
  if (running.is_checked) running.scheduler->launch().shared.set_dynamic_padding(padding);
}

void __kata_launch_bounds(unsigned threads, unsigned, unsigned) {
  if (!running.thread) return;
  Scheduler& scheduler = *running.scheduler;
  const Launch& launch = scheduler.launch();
  if (launch.threads_per_block <= threads || threads == 0) [[likely]]
    return;
  const Place place{nullptr, launch.config.file, launch.config.line};
  scheduler.abort(scheduler.incident(place, BlockBeyondBounds{launch.threads_per_block, threads}),
                  cudaErrorInvalidValue);
}

void __kata_grid_sync() {
  Thread* thread = running.thread;
  if (!thread) return;
  Scheduler& scheduler = *running.scheduler;
  const Place place = before(__builtin_return_address(0));
  if (!scheduler.launch().config.cooperative)
    scheduler.abort(scheduler.incident(place, GridSyncNotCooperative{}), cudaErrorLaunchFailure);
  running.quantum -= spin_price;
  scheduler.block().arrive_at_grid(*thread, place);
  scheduler.wait();
}

int __kata_is_device_code() {
  return running.thread != nullptr;
}

void __kata_unsupported(const char* what, const char* file, int line) {
  const Place place{nullptr, file, line};
  if (running.thread) {
    running.scheduler->abort(running.scheduler->incident(place, Unsupported{what}),
                             cudaErrorNotSupported);
  }
  Findings::instance().add({FindingKind::unsupported, Severity::error, file, line & 0x1ffff, "",
                            std::string("the emulator does not have ") + what});
}

void __kata_trap(const char* what, const char* file, int line) {
  if (running.thread) {
    running.scheduler->abort(running.scheduler->incident({nullptr, file, line}, Trapped{}),
                             cudaErrorLaunchFailure);
  }
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
  std::abort();
}

void __kata_assert_failed(const char* condition, const char* file, int line, const char* function) {
  if (running.thread) {
    running.scheduler->abort(
        running.scheduler->incident({nullptr, file, line}, AssertionFailed{condition}),
        cudaErrorAssert);
  }
  std::fprintf(stderr, "%s:%d: %s: assertion `%s' failed\n", file, line, function, condition);
  std::abort();
}

int __kata_printf(const char* format, ...) {
  forbid_repeats();
  std::va_list arguments;
  va_start(arguments, format);
  const int printed = std::vprintf(format, arguments);
  va_end(arguments);
  return printed;
}

void __kata_copy_async(void* to, const void* from, unsigned bytes, unsigned source_bytes) {
  if (!running.thread) return;
  // nvcc makes two instructions of __pipeline_memcpy_async(), one for lanes that only fill.
  const AccessKind source = source_bytes == 0 ? AccessKind::no_source
                            : bytes == 16     ? AccessKind::bypass_source
                                              : AccessKind::copy_source;
  issue_copy(reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from), bytes,
             source_bytes, source, __builtin_return_address(0));
}

void __kata_copy_commit() {
  if (running.thread) running.scheduler->block().copies().commit();
}

void __kata_copy_wait(unsigned groups_left) {
  if (!running.thread) return;
  groups_left == ~0u ? wait_for_all_copies() : wait_for_copies(groups_left);
}

void __kata_wait_for_dependency() {
  if (!running.thread) return;
  running.scheduler->settle();
  running.scheduler->block().accesses().wait_for_dependency(running.thread->id);
}

void __kata_fence(int scope) {
  fence(static_cast<Scope>(scope), __builtin_return_address(0));
  if (scope > 0) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __kata_read_only(const void* from, std::size_t bytes) {
  kata::emulator::check_read_only(reinterpret_cast<std::uintptr_t>(from),
                                  static_cast<unsigned>(bytes), __builtin_return_address(0));
}

void __kata_expect_thrust() {
  kata::emulator::expect_thrust();
}

void __kata_sleep() {
  charge_for_spinning();
}

/// Nanoseconds: about what a clock cycle of a device is.
extern "C" long long clock64() {
  ++running.progress;  // who spins on the clock will go on
  forbid_repeats();
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}

/// CUDA's in kernels, and the C library's in host code: both have this name.
extern "C" clock_t clock() {
  if (running.thread) return clock64();
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
}
