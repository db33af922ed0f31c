#pragma once
// What people ask about any operator: answered from its signature and its exercise's constraints.

#include "practice/exercise/exercise_text.h"
#include "problems/spec/problem.h"

namespace kata {

/// The question about the time that is left: only who holds the interview can answer it.
inline constexpr const char* clock_topic = "clock";

/// Adds what follows for every operator from its signature, its cost, its answers and its
/// constraints: types, layout, what is wanted, how speed is measured, which means are allowed. It
/// comes last, or completes the exercise's own answer about the same.
void add_general_topics(const Problem& problem, ExerciseText& text);

}  // namespace kata
