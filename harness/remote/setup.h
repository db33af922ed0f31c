#pragma once
// Builds kata on another machine.

#include <functional>
#include <optional>
#include <string>

#include "remote/connection.h"
#include "support/result.h"

namespace kata {

/// Copies this tree there, what has changed of it, and builds it. `install`: the launcher there may
/// install missing packages. An Error says what is missing on which side.
std::optional<Error> set_up(const Place& place, bool install,
                            const std::function<void(const std::string& what)>& progress);

}  // namespace kata
