#pragma once
// What `kata report` shows, gathered.

#include "grading/grade.h"
#include "report/page.h"
#include "support/result.h"

namespace kata {

/// One operator's ladder: times that are kept with it, or measured now where request.backend is the
/// GPU; counts and predicted bytes by the emulator; and request.candidate judged, unless it is an
/// untouched stub. An Error where there is nothing to show.
Result<Page> page_of(const Problem& problem, const GradeRequest& request);

}  // namespace kata
