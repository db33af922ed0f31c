#pragma once
// What `kata report` and `kata site` show, gathered.

#include "grading/grade.h"
#include "report/html/page.h"
#include "support/result.h"

namespace kata {

/// One operator's ladder: times that are kept with it, or measured now where request.backend is the
/// GPU; counts and predicted bytes by the emulator; and request.candidate judged, unless it is an
/// untouched stub. An Error where there is nothing to show.
Result<Page> page_of(const Problem& problem, const GradeRequest& request);

/// The same from what is kept with the ladder: nothing is compiled, run or judged. Rungs without a
/// kept profile have no bytes.
Result<Page> kept_page(const Problem& problem);

}  // namespace kata
