#pragma once
// Runs a compiler, and says what kept it from judging the file at all.

#include <filesystem>
#include <string>
#include <vector>

#include "compile/toolchain.h"
#include "support/process.h"
#include "support/result.h"

namespace kata {

/// Where the compiler came to an end of its own; `exit_status` tells which. An Error if it was
/// interrupted, was killed, took too long, or had no room to write.
Result<Finished> run_compiler(const Toolchain& toolchain, const std::vector<std::string>& arguments,
                              const std::string& input, const std::filesystem::path& source);

}  // namespace kata
