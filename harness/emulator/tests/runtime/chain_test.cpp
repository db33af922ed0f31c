// Which loads of a thread wait for each other, and what bulk copies fetch, as an estimate of time
// sees it.
#include <doctest/doctest.h>

#include "emulator/runtime/count/profiler.h"

using namespace kata::emulator;

namespace {

const void* instruction(int number) {
  static const char code[64] = {};
  return code + number;
}

constexpr bool far = true;

}  // namespace

TEST_CASE("a loop with one or two loads has 16 of them in flight") {
  Chain one, two;
  for (int i = 0; i < 64; ++i) {
    one.load(instruction(1), far);
    two.load(instruction(1), far);
    two.load(instruction(2), far);
  }
  CHECK(one.steps().far_loads == 4);
  CHECK(two.steps().far_loads == 8);
}

TEST_CASE("a loop that loads four vectors of a row and four of a column is not unrolled further") {
  Chain chain;
  for (int i = 0; i < 10; ++i) {
    for (int k = 0; k < 4; ++k) chain.load(instruction(1), far);
    for (int k = 0; k < 4; ++k) chain.load(instruction(2), far);
  }
  CHECK(chain.steps().far_loads == 10);
}

TEST_CASE("a loop that copies to shared memory through registers has four loads in flight") {
  Chain chain;
  for (int i = 0; i < 16; ++i) {
    chain.load(instruction(1), far);
    chain.store(true);
  }
  CHECK(chain.steps().far_loads == 4);
  chain.load_shared(instruction(2));  // of what has been stored: hides nothing
  CHECK(chain.steps().hidden_loads == 0);
  CHECK(chain.steps().shared_loads == 1);
}

TEST_CASE("a store to device memory waits for the loads before it") {
  Chain chain;
  for (int i = 0; i < 16; ++i) {
    chain.load(instruction(1), far);
    chain.store(false);
  }
  CHECK(chain.steps().far_loads == 16);
}

TEST_CASE("a load that is used after the next reads of shared memory is hidden") {
  Chain chain;
  chain.load(instruction(1), far);
  chain.load_shared(instruction(2));
  CHECK(chain.steps().far_loads == 0);
  CHECK(chain.steps().hidden_loads == 1);
}

TEST_CASE("a loop that multiplies device memory by shared memory is unrolled like any other") {
  Chain chain;
  for (int i = 0; i < 64; ++i) {
    chain.load(instruction(1), far);
    chain.load_shared(instruction(2));
  }
  CHECK(chain.steps().hidden_loads == 8);
  CHECK(chain.steps().shared_loads == 8);
}

TEST_CASE("a load that the L1 serves is not as long as one of device memory if it is hidden") {
  Chain chain;
  chain.load(instruction(1), !far);
  chain.load_shared(instruction(2));
  CHECK(chain.steps().hidden_loads == 0);
  CHECK(chain.steps().near_loads == 1);
}

TEST_CASE("a load in front of a loop does not put all of the loop's loads in flight at once") {
  Chain chain;
  chain.load(instruction(0), far);
  for (int i = 0; i < 640; ++i) chain.load(instruction(1), far);
  CHECK(chain.steps().far_loads == 1 + 39);  // the first 16 with the load in front, and 39 times 16
}

TEST_CASE("an asynchronous copy costs a wait only if nothing is done in between") {
  Chain at_once, staged;
  at_once.load(instruction(1), far);
  at_once.copy();
  at_once.wait_for_copies(0);
  CHECK(at_once.steps().far_loads == 1);
  staged.load(instruction(1), far);
  staged.copy();
  staged.wait_for_copies(1);  // for the stage before
  staged.load_shared(instruction(2));
  staged.wait_for_copies(0);
  CHECK(staged.steps().far_loads == 0);
  CHECK(staged.steps().hidden_loads == 0);
}

TEST_CASE("a bulk copy fetches the sector that two pieces of a swizzled row share once") {
  Profiler profiler;
  profiler.begin(1);
  for (const unsigned at : {16, 0, 48, 32}) profiler.bulk_copy(4096 + at, 16, false, 0);
  CHECK(profiler.take().bulk_sectors == 2);
}
