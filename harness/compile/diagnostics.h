#pragma once
// A compiler's words, as a person should read them.

#include <filesystem>
#include <string>

#include "support/result.h"

namespace kata {

/// The Error for a candidate that does not compile. Paths become as short as shown() makes them,
/// and the compiler's walk through the emulator's own headers is left out. Where the reason is
/// something that the emulator lacks, the message says so, with its line.
Error compile_error(const std::filesystem::path& source, const std::string& compiler,
                    const std::string& output);

}  // namespace kata
