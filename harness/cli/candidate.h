#pragma once
// From what a person types to what is judged: operators, files, rungs, sizes, backends.

#include <filesystem>
#include <optional>
#include <string>

#include "grading/ladder.h"
#include "problems/problem.h"
#include "support/result.h"

namespace kata::cli {

struct Candidate {
  std::filesystem::path source;
  const Problem* problem = nullptr;  ///< null: to be found from what the file defines
  bool is_exercise = false;          ///< the person's own file in exercises/
};

/// The problem of that name, else an Error with the nearest name and the list.
Result<const Problem*> find_operator(const std::string& name);

/// An operator's exercise, or the file if it contains a '/', ends in .cu or is there.
/// `operator_name` (from --operator) may be empty.
Result<Candidate> find_candidate(const std::string& name_or_path, const std::string& operator_name);

/// A rung by its number ("2"), its name ("2_warp_per_row"), its idea ("warp_per_row"), the name
/// of a library, or the last one for "".
Result<Rung> find_rung(const std::string& operator_name, const std::string& rung);

/// "256x1024" -> {256, 1024}; whether the operator takes that many sizes is for grading to say.
Result<Shape> parse_shape(const std::string& text);

}  // namespace kata::cli
