#pragma once
// Local variables that are read before anything is written to them, as the compiler warns of them.

#include <filesystem>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "compile/sources.h"

namespace kata {

/// From what g++ or clang++ printed: those in the person's own files, each line once.
std::vector<UninitializedLocal> uninitialized_locals(const std::string& output,
                                                     const std::vector<SourceFile>& sources);

/// Adds those that device code declares without a value and the compiler did not warn of.
void add_unset_locals(const std::vector<SourceFile>& sources,
                      std::vector<UninitializedLocal>& locals);

/// Whether a file or its headers have any of those: known before it is compiled.
bool has_unset_locals(const std::filesystem::path& source, const std::string& text);

/// As lines of a module's description in the cache, and back.
std::string to_description(const std::vector<UninitializedLocal>& locals);
std::vector<UninitializedLocal> from_description(const std::string& description);

}  // namespace kata
