#pragma once
// Runs a compiler, and says what kept it from judging the file at all.

#include <filesystem>
#include <string>
#include <vector>

#include "compile/toolchain.h"
#include "support/process.h"
#include "support/result.h"

namespace kata {

inline void append(std::vector<std::string>& arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
}

/// Runs the compiler to its end. An Error if it was interrupted, was killed, took too long, or had
/// no room to write; errors in the source are in `exit_status` and the output.
Result<Finished> run_compiler(const Toolchain& toolchain, const std::vector<std::string>& arguments,
                              const std::string& input, const std::filesystem::path& source);

}  // namespace kata
