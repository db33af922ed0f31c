#pragma once
// FSRS-6, the Free Spaced Repetition Scheduler: when something that was learned should be asked
// again. Formulas and default parameters as open-spaced-repetition publishes them:
// https://github.com/open-spaced-repetition/fsrs4anki/wiki/The-Algorithm and, with these
// parameters, py-fsrs 6.3.1 (fsrs/scheduler.py).

#include "practice/history.h"

namespace kata::fsrs {

/// What is known of a person's memory of one thing.
struct Memory {
  double stability = 0;   ///< days until recall has fallen to 90 %
  double difficulty = 0;  ///< 1 to 10
};

/// After the first review.
Memory first(Grade grade);

/// After a review `days` whole days after the one before; 0: on the same day.
Memory next(const Memory& memory, Grade grade, int days);

/// The probability of recall `days` days after the last review.
double retrievability(const Memory& memory, double days);

/// Days until the next review, at least 1: recall will have fallen to 90 % then.
int interval(const Memory& memory);

}  // namespace kata::fsrs
