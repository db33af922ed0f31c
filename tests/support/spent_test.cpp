// How much of its time limit a process has used.
#include "support/spent.h"

#include <doctest/doctest.h>

using namespace kata;

TEST_CASE("threads that share the work of a case do not use up its time once each") {
  const ProcessTimes before{.clock_s = 5, .processor_s = 2, .waited_s = 0, .threads = 16};
  const ProcessTimes now{.clock_s = 6, .processor_s = 18, .waited_s = 0, .threads = 16};
  CHECK(spent_s(before, now) == 1);
}

TEST_CASE("a thread that hangs uses up its time, whatever the others do") {
  const ProcessTimes before{.clock_s = 5, .processor_s = 2, .waited_s = 0, .threads = 16};
  CHECK(spent_s(before, {.clock_s = 15, .processor_s = 12, .waited_s = 0, .threads = 16}) == 10);
  // Others have the processor half of the time.
  CHECK(spent_s(before, {.clock_s = 25, .processor_s = 12, .waited_s = 10, .threads = 16}) == 10);
}
