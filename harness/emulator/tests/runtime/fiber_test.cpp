#include "emulator/runtime/run/fiber.h"

#include <doctest/doctest.h>

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
