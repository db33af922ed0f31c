#pragma once
// What people ask about any operator: answered from its signature and its exercise's constraints.

#include "practice/exercise/exercise_text.h"
#include "problems/spec/problem.h"

namespace kata {

/// Adds what follows for every operator from its signature, its cost and its answers: types,
/// layout, what is wanted, how speed is measured, which means are allowed, how small sizes get. It
/// comes last, or completes the exercise's own answer about the same.
void add_general_topics(const Problem& problem, ExerciseText& text);

}  // namespace kata
