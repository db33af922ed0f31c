#pragma once
// Tracks and tags of the operators: "## Labels" in their READMEs.

#include <string>
#include <vector>

#include "problems/spec/problem.h"
#include "support/result.h"

namespace kata {

inline constexpr const char* every_track = "general";  ///< every operator is in it

/// Those in that track and with that tag; an empty text, or "general", takes all. An Error lists
/// the tracks or tags that there are.
Result<std::vector<const Problem*>> problems_with(const std::string& track, const std::string& tag);

}  // namespace kata
