#include "fuzz/targets.h"
#include "grading/candidate.h"

namespace kata::fuzz {

void size(std::string_view argument) {
  const Result<Shape> shape = parse_shape(std::string(argument));
  if (!shape) return;
  const Result<Shape> again = parse_shape(to_string(*shape));
  require(again && *again == *shape);
  for (const Problem& problem : problems()) check_shape(problem, *shape);
}

}  // namespace kata::fuzz
