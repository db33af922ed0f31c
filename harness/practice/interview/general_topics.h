#pragma once
// What people ask about any operator: answered from its signature and its exercise's constraints.

#include "practice/exercise/exercise_text.h"
#include "problems/spec/problem.h"

namespace kata {

/// Adds how small the sizes get, also to what the exercise says of its sizes; and, where none of
/// its clarifying questions is about that, whether buffers overlap and whether libraries may be
/// used. They come last.
void add_general_topics(const Problem& problem, ExerciseText& text);

}  // namespace kata
