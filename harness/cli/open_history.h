#pragma once
// The history, as a command opens it.

#include "practice/history.h"
#include "support/result.h"

namespace kata::cli {

/// Prints at once what the person must know of it: a damaged file was set aside, or it can only be
/// read. Only the first command that opens it can do so.
Result<History> open_history();

}  // namespace kata::cli
