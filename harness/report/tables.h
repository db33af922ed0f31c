#pragma once
// The tables of a report: times on a GPU, counts without one.

#include <string>

#include "report/report.h"

namespace kata {

/// Yours, every rung, the libraries and the limit; one table for each size. Empty without times.
std::string timing_tables(const Report& report, bool color);

/// What yours and every rung ask of memory, as the emulator counted it. Empty without counts.
std::string counts_table(const Report& report, bool color);

/// What yours and every rung would take on a chip that is not there. Empty without estimates.
std::string estimates_tables(const Report& report, bool color);

}  // namespace kata
