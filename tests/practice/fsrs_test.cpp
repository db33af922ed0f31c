// The published numbers of FSRS-6: open-spaced-repetition/py-fsrs 6.3.1, tests/test_basic.py, with
// its default parameters and no fuzz.
#include "practice/fsrs.h"

#include <doctest/doctest.h>

#include <vector>

using namespace kata;

TEST_CASE("the intervals are those that py-fsrs publishes (test_review_card)") {
  using enum Grade;
  // py-fsrs repeats what is new or forgotten within the day (0): there the interval is its own.
  const std::vector<Grade> grades = {good,  good, good, good, good, good, again,
                                     again, good, good, good, good, good};
  const std::vector<int> published = {0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21};
  fsrs::Memory memory = fsrs::first(grades[0]);
  for (std::size_t i = 1; i < grades.size(); ++i) {
    memory = fsrs::next(memory, grades[i], published[i - 1]);
    CAPTURE(i);
    if (published[i] > 0) CHECK(fsrs::interval(memory) == published[i]);
  }
}

TEST_CASE("stability and difficulty are those that py-fsrs publishes (test_memo_state)") {
  using enum Grade;
  const std::vector<int> days = {0, 0, 1, 3, 8, 21};
  fsrs::Memory memory = fsrs::first(again);
  for (std::size_t i = 1; i < days.size(); ++i) memory = fsrs::next(memory, good, days[i]);
  CHECK(memory.stability == doctest::Approx(53.62691).epsilon(1e-6));
  CHECK(memory.difficulty == doctest::Approx(6.3574867).epsilon(1e-7));
}

TEST_CASE("what is always easy becomes as easy as can be (test_repeated_correct_reviews)") {
  fsrs::Memory memory = fsrs::first(Grade::easy);
  for (int i = 1; i < 10; ++i) memory = fsrs::next(memory, Grade::easy, 0);
  CHECK(memory.difficulty == 1.0);
}

TEST_CASE("what is always forgotten keeps a stability (test_stability_lower_bound)") {
  fsrs::Memory memory = fsrs::first(Grade::again);
  for (int i = 0; i < 1000; ++i) {
    memory = fsrs::next(memory, Grade::again, 1);
    REQUIRE(memory.stability >= 0.001);
    REQUIRE(fsrs::interval(memory) == 1);
  }
}

TEST_CASE("recall is 1 at once, 90 % after as many days as the stability says, and falls on") {
  const fsrs::Memory memory = fsrs::first(Grade::good);
  CHECK(fsrs::retrievability(memory, 0) == 1);
  CHECK(fsrs::retrievability(memory, memory.stability) == doctest::Approx(0.9));
  CHECK(fsrs::retrievability(memory, 100) < fsrs::retrievability(memory, 50));
  CHECK(fsrs::interval(fsrs::first(Grade::easy)) == 8);
}
