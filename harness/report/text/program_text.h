#pragma once
// The report of `kata run`, as a person reads it behind the program's own output.

#include <string>

#include "report/report.h"
#include "report/text/text.h"

namespace kata {

/// How the program ended, what was noticed, and a table of its kernels. Ends with a newline.
std::string program_text(const Report& report, const TextOptions& options = {});

}  // namespace kata
