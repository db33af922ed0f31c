// What kernels call of cuda::barrier, and of tiles of several warps.

#include "emulator/runtime/check/mbarriers.h"
#include "emulator/runtime/run/scheduler.h"

using namespace kata::emulator;

namespace {

std::uintptr_t key(const void* barrier) {
  return reinterpret_cast<std::uintptr_t>(barrier);
}

}  // namespace

void __kata_barrier_init(void* barrier, unsigned expected) {
  if (running.thread) init_mbarrier(key(barrier), expected, __builtin_return_address(0));
}

unsigned long long __kata_barrier_arrive(void* barrier, unsigned count, int drop) {
  if (!running.thread) return 0;
  const Arrival arrival{.count = count, .drops = drop != 0};
  return arrive_at_mbarrier(key(barrier), arrival, __builtin_return_address(0)).phase;
}

void __kata_barrier_wait(void* barrier, unsigned long long phase) {
  if (!running.thread) return;
  wait_for_mbarrier(key(barrier), {false, phase}, Wait::for_ever, true,
                    __builtin_return_address(0));
}

int __kata_barrier_test(void* barrier, unsigned long long phase) {
  if (!running.thread) return 1;
  return wait_for_mbarrier(key(barrier), {false, phase}, Wait::once, true,
                           __builtin_return_address(0));
}

void __kata_fence_barriers() {
  if (running.thread) fence_mbarriers();
}

void __kata_barrier_bind_copies(void* barrier) {
  if (!running.thread) return;
  running.scheduler->block().copies().bind(
      key(barrier), phase_of_mbarrier(key(barrier), __builtin_return_address(0)));
}

namespace {

/// A number for each tile of a block, of every size: 1024 / size + the tile's rank.
unsigned barrier_of(unsigned tile) {
  return named_barriers + tile % tile_barriers;
}

}  // namespace

void __kata_tile_sync(unsigned tile, unsigned threads) {
  if (!running.thread) return;
  running.quantum -= spin_price;
  running.scheduler->block().split_barriers().meet(barrier_of(tile), threads, true,
                                                   before(__builtin_return_address(0)));
}

void __kata_tile_exchange(unsigned tile, unsigned threads, unsigned rank, unsigned source,
                          const void* value, void* result, unsigned bytes) {
  if (!running.thread) return;
  running.quantum -= spin_price;
  running.scheduler->block().split_barriers().exchange(
      barrier_of(tile), {threads, rank, source < threads ? source : rank, bytes, value, result},
      before(__builtin_return_address(0)));
}
