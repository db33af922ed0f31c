#include "emulator/runtime/run/fiber.h"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <vector>

using kata::emulator::Fiber;
using kata::emulator::Fibers;

TEST_CASE("stacks that many lanes needed once are given back when all of them have ended") {
  Fibers fibers([] {});
  std::vector<Fiber*> taken;
  constexpr int more_than_any_thread_keeps = 70'000;
  for (int i = 0; i < more_than_any_thread_keeps; ++i) taken.push_back(fibers.take());
  const std::uintptr_t first = taken.front()->stack_low, last = taken.back()->stack_low;
  for (std::size_t i = 1; i < taken.size(); ++i) fibers.put_back(taken[i]);
  fibers.keep_few();
  CHECK(fibers.holds(last));  // one is in use
  fibers.put_back(taken.front());
  fibers.keep_few();
  CHECK(fibers.holds(first));
  CHECK_FALSE(fibers.holds(last));
  CHECK(fibers.holds(fibers.take()->stack_low));
}

TEST_CASE("each lane's stack ends at a page without access, however many lanes there are") {
  constexpr int guard_install = 102;
  void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool is_cheap = madvise(page, 4096, guard_install) == 0;
  munmap(page, 4096);
  if (!is_cheap) {
    MESSAGE("skipped: before Linux 6.13 some stacks have a canary instead");
    return;
  }
  Fibers fibers([] {});
  std::vector<Fiber*> taken;
  constexpr int more_than_mappings = 70'000;
  for (int i = 0; i < more_than_mappings; ++i) taken.push_back(fibers.take());
  CHECK(std::ranges::all_of(taken, [](const Fiber* fiber) { return fiber->guarded; }));
  for (Fiber* fiber : taken) fibers.put_back(fiber);
  fibers.keep_few();
}
