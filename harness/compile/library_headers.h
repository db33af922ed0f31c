#pragma once
// CUB and Thrust from where they are installed, as the emulator's compiler can read them.

#include <filesystem>
#include <string>
#include <vector>

#include "compile/sources.h"
#include "support/result.h"

namespace kata {

/// The folder that holds both libraries: $KATA_CUB_AND_THRUST, else /usr/include. Empty where they
/// are not installed.
std::filesystem::path find_cub_and_thrust();

/// What the compiler needs for sources that include headers of theirs; nothing for others. The
/// libraries' own text is rewritten as a candidate's is, into the cache, at the first use.
Result<std::vector<std::string>> library_options(const std::vector<SourceFile>& sources,
                                                 bool clang);

}  // namespace kata
