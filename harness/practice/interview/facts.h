#pragma once
// What an interviewer says about any operator, read from its signature, its answers and the
// sentences of its exercise. A text is empty where nothing is known.

#include <string>
#include <vector>

#include "practice/exercise/exercise_text.h"
#include "problems/spec/problem.h"

namespace kata {

/// The sentences of a Markdown text without its code, each on one line.
std::vector<std::string> sentences_of(const std::string& text);

/// The sentences of a Markdown text that contain one of these words, in their order.
std::string sentences_with(const std::string& text, const std::vector<std::string>& words);

/// "`Q` and `O` are [M, d], `K` is [N, d]."
std::string shapes_text(const Problem& problem);

/// The range of each size, what holds between them, and whether they are multiples of anything.
std::string sizes_text(const Problem& problem);

/// The formula of the task as it stands there, or its first sentences.
std::string formula_text(const ExerciseText& text);

/// Which numbers the inputs hold, and whether there is NaN or infinity.
std::string values_text(const Problem& problem, const ExerciseText& text);

/// What must be right of the outputs, as the answers at a few small sizes show it: at the smallest
/// even a rounded result may be exact.
struct Wanted {
  std::vector<std::string> exact, rounded;
  bool has_rest = false;  ///< behind what is specified
  std::string tolerance;  ///< "At `n` = 4099 an element of `y` near 0.5 may be off by 3e-8."
};
Wanted wanted_of(const Problem& problem);

/// "`n` = 4096, `k` = 64"
std::string marked_sizes(const Problem& problem, const Shape& shape);

}  // namespace kata
