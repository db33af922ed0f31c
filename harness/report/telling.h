#pragma once
// Which of the failing cases a person is told about first.

#include "report/report.h"

namespace kata {

/// The one that teaches most, whose explanation is the report's; null if none failed.
const CaseResult* telling_failure(const Report& report);

}  // namespace kata
