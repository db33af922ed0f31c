#pragma once
// Local variables that a candidate reads before anything is written to them.

#include <functional>
#include <vector>

#include "compile/compile.h"
#include "report/report.h"

namespace kata {

/// A finding for each: a warning where a run with other values in them came to the same results.
/// Those that the compiler did not warn of have a finding if the results differ and no other
/// explains it.
std::vector<Finding> findings_of(const std::vector<UninitializedLocal>& locals, bool matter);

/// Judges the candidate once more, with zeros in its uninitialized locals (`judge_again`), and adds
/// the findings; not if it fails already and the compiler warned of none. A report that fails takes
/// the place of one that passed by chance.
void judge_uninitialized(const std::vector<UninitializedLocal>& locals,
                         const std::function<Report()>& judge_again, Report& report);

}  // namespace kata
