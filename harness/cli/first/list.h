#pragma once
// The operators, and where a person stands with each.

#include <string>
#include <vector>

#include "problems/spec/problem.h"

namespace kata::cli {

/// One line each, with a head, in 80 columns; of every operator if `chosen` is empty.
std::string list_text(bool color, const std::vector<const Problem*>& chosen = {});

}  // namespace kata::cli
