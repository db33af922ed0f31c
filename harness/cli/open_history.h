#pragma once
// The history, as a command opens it.

#include "practice/history.h"
#include "support/result.h"

namespace kata::cli {

/// What the person must know of it (a damaged file was set aside, it can only be read) is said at
/// once: whichever command meets it first is the only one that can.
Result<History> open_history();

}  // namespace kata::cli
