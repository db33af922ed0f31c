#pragma once
// Where in the person's own code a thread is.

#include <filesystem>

#include "worker/signals.h"

namespace kata {

/// The module that holds it; a signal often finds a thread deep in the C library.
void locate_in(const std::filesystem::path& module);

/// For the handlers of signals.
CodeOfCandidate code_of_candidate();

}  // namespace kata
