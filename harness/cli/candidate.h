#pragma once
// From what a person types to what is judged: operators, files, rungs, sizes, backends.

#include <optional>
#include <string>

#include "grading/candidate.h"
#include "grading/ladder.h"
#include "problems/spec/problem.h"
#include "support/result.h"

namespace kata::cli {

/// What a command line says of a candidate, as it was typed.
struct CandidateOptions {
  std::string what =
      {};  ///< an operator, for its exercise; or a file: has a '/', ends in .cu, or is there
  std::optional<std::string> solution = {};  ///< a rung in its place, as find_rung() takes it
  std::string operator_name = {};
  std::string entry = {};
  std::string size = {};
};

/// That its file is missing, and which command writes it.
Error no_exercise(const std::string& operator_name);

/// Says that an exercise is not written yet, so there is nothing to `verb`, and names the command
/// for the fastest rung, with `more` at its end. `json`: as an object. Returns what the process
/// exits with.
int not_written(const Problem& problem, const std::string& verb, const std::string& command,
                const std::string& more = "", bool json = false);

/// The problem of that name, else an Error with the nearest name and the list.
Result<const Problem*> find_operator(const std::string& name);

/// The file, read; an Error if an option is wrong or does not fit it, or if an open drill asks for
/// reading it first.
Result<Candidate> find_candidate(const CandidateOptions& options);

/// A rung by its number ("2"), its name ("2_warp_per_row"), its idea ("warp_per_row"), the name
/// of a library, or the fastest one for "".
Result<Rung> find_rung(const std::string& operator_name, const std::string& rung);

}  // namespace kata::cli
