#pragma once
// Where in the person's own code a thread is.

#include <filesystem>
#include <string>

namespace kata {

/// The module whose code locate() knows; a signal often finds a thread deep in the C library.
void locate_in(const std::filesystem::path& module);

/// "file:line" of a code address in that module, or empty.
std::string locate(const void* code_address);

}  // namespace kata
