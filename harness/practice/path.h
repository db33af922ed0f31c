#pragma once
// The first steps: exercises in an order, each with a lesson of half a screen (docs/path).

#include <string>
#include <vector>

#include "problems/spec/problem.h"

namespace kata {

struct Lesson {
  const Problem* problem = nullptr;
  std::string title;
  std::string text;  ///< Markdown, without the title
};

/// In their order: files are called "<number>_<operator>.md".
std::vector<Lesson> lessons();

}  // namespace kata
