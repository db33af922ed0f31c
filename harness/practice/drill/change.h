#pragma once
// A small change of a kernel that passed, and what the judge finds in it.

#include <string>
#include <vector>

#include "practice/drill/mutations.h"
#include "report/report.h"

namespace kata::drill {

/// Of each topic and level as many of the harmless changes and of the others as keep their share:
/// or "it fails" would be the best guess. What computes the same is asked once for each operation.
std::vector<Mutant> balanced(std::vector<Mutant> mutants, const std::string& text);

/// "  - old line", "  + new line".
std::string changed_lines(const std::string& text, const std::string& changed);

/// How that kernel may end, as a person would say it: "right", "race", ... "barrier" only where its
/// threads meet.
std::vector<std::string> outcome_names(const std::string& text);

/// Whether the judge could say how it ends: it compiles, and takes no longer than the judge waits.
bool is_decided(const Report& report);

/// All that is true of it: a race may also give a wrong result.
std::vector<std::string> outcomes_of(const Report& report);

/// Of the first case that fails alone.
Report of_first_failure(Report report);

/// The cases and the lines that show it, a sentence each; else `why` nothing is wrong.
std::vector<std::string> proof_of(const Report& report, const Mutant& mutant);

}  // namespace kata::drill
