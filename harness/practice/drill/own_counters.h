#pragma once
// "Viva" about a person's own kernel as it is: what it moves, loses and fills, counted in a run.

#include <filesystem>

#include "practice/drill/maths_families.h"
#include "report/report.h"

namespace kata::drill {

/// At most three numbers to ask for, chosen by what the code does. An Error if not all of it was
/// counted.
Result<std::vector<Number>> own_counters(const Problem& problem, const Report& report);

Result<std::unique_ptr<Item>> make_own_counters(const Problem& problem,
                                                const std::filesystem::path& place,
                                                const std::string& text);

}  // namespace kata::drill
