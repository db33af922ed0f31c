// How much of its time limit a process has used.
#include "support/spent.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>

#include "support/silence.h"

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

TEST_CASE("time in which kata itself was stopped is not held against what it waits for") {
  using namespace std::chrono_literals;
  const Clock::time_point start = Clock::now();
  Pulse pulse(start);
  CHECK(pulse.missed(start + 1s) == 0s);
  CHECK(pulse.missed(start + 2900ms) == 0s);  // a busy machine
  CHECK(pulse.missed(start + 32900ms) == 29s);
  CHECK(pulse.missed(start + 33900ms) == 0s);

  Silence silence(getpid(), [] { return 10.0; });
  const Clock::time_point before = silence.deadline(start);
  silence.put_off(29s);
  CHECK(silence.deadline(start) == before + 29s);
  silence.put_off(-50s);
  CHECK(silence.is_over());
}
