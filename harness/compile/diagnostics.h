#pragma once
// A compiler's words, as a person should read them.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compile/emulator_source.h"
#include "compile/sources.h"
#include "support/result.h"

namespace kata {

/// The Error for a `unit` that does not compile: `sources` as the person wrote them and, on the
/// emulator, `rewritten` as the compiler got them (empty for nvcc). Lines that differ are shown as
/// the person wrote them; every diagnostic is "file:line:column: error: text"; a missing semicolon
/// or brace is shown where it is missing; the compiler's way through the emulator's own
/// headers is left out; paths are as short as shown() makes them. Where the reason is something
/// that the emulator lacks, the message says so, with its line.
Error compile_error(const std::filesystem::path& unit, const std::vector<SourceFile>& sources,
                    const std::vector<RewrittenFile>& rewritten, const std::string& compiler,
                    const std::string& output);

}  // namespace kata
