// What kernels call of cuda::barrier, and of tiles of several warps.

#include "emulator/runtime/check/async_copies.h"
#include "emulator/runtime/run/scheduler.h"

using namespace kata::emulator;

namespace {

SplitBarriers& barriers() {
  return running.scheduler->block().split_barriers();
}

std::uintptr_t key(const void* barrier) {
  return reinterpret_cast<std::uintptr_t>(barrier);
}

/// The copies that are bound to the phase have arrived then, too.
void wait(const void* barrier, std::uint64_t phase, Place place) {
  barriers().wait(key(barrier), phase, place);
  deliver_bound_copies(key(barrier), phase);
}

}  // namespace

void __kata_barrier_init(void* barrier, unsigned expected) {
  if (running.thread) barriers().init(key(barrier), expected);
}

unsigned long long __kata_barrier_arrive(void* barrier, unsigned count, int drop) {
  if (!running.thread) return 0;
  running.quantum -= spin_price;
  return barriers().arrive(key(barrier), count, drop != 0, before(__builtin_return_address(0)));
}

void __kata_barrier_wait(void* barrier, unsigned long long phase) {
  if (!running.thread) return;
  running.quantum -= spin_price;
  wait(barrier, phase, before(__builtin_return_address(0)));
}

int __kata_barrier_test(void* barrier, unsigned long long phase) {
  if (!running.thread) return 1;
  running.quantum -= spin_price;
  const Place place = before(__builtin_return_address(0));
  const bool over = barriers().is_over(key(barrier), phase, place);
  if (over) wait(barrier, phase, place);
  return over;
}

void __kata_barrier_bind_copies(void* barrier) {
  if (!running.thread) return;
  const Place place = before(__builtin_return_address(0));
  running.scheduler->block().copies().bind(key(barrier), barriers().phase(key(barrier), place));
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
  barriers().meet(barrier_of(tile), threads, true, before(__builtin_return_address(0)));
}

void __kata_tile_exchange(unsigned tile, unsigned threads, unsigned rank, unsigned source,
                          const void* value, void* result, unsigned bytes) {
  if (!running.thread) return;
  running.quantum -= spin_price;
  barriers().exchange(barrier_of(tile),
                      {threads, rank, source < threads ? source : rank, bytes, value, result},
                      before(__builtin_return_address(0)));
}
