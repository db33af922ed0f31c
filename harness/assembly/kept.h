#pragma once
// solutions/<operator>/assembly.jsonl: what nvcc makes of each rung, for machines without it. A
// line has the rung, the hash of its source, the date, the toolkit, the command, and the summary.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assembly/summary.h"
#include "grading/ladder.h"
#include "problems/spec/problem.h"

namespace kata::assembly {

inline constexpr const char* kept_chip = "h200";  ///< that rungs are compiled for

/// Of a rung as it is; nothing if it was edited since, or nothing is kept.
std::optional<Summary> kept_summary(const Problem& problem, const Rung& rung);

/// The rungs whose summary is kept: those that were not edited since.
std::vector<std::string> rungs_with_summaries(const Problem& problem);

/// The summary of a file that nvcc has compiled; `problem` null: of no operator that is known. The
/// main kernel is that of the first size that is benched, if a profile of this text is kept.
Summary summary_of(const Assembly& assembly, const Problem* problem, const Chip& chip);

/// Compiles every rung, or `only` that one, and writes the file. Takes a minute.
std::optional<Error> keep_assembly(const Problem& problem, const std::string& only,
                                   const std::function<void(const std::string&)>& progress);

std::filesystem::path summaries_path(const Problem& problem);

}  // namespace kata::assembly
