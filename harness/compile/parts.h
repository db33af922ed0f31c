#pragma once
// A file whose kernels have many instances takes a second to compile, of which two thirds are work
// on one kernel after another. Such a file is compiled twice at the same time, each time as a whole
// but with the bodies of half of the kernels (kata_emulator/parts.h), and the linker joins the two.

#include <filesystem>

namespace kata {

/// Whether a file that last became this module is to be compiled in parts: it is large, and no
/// variable of it would be in both.
bool is_worth_parts(const std::filesystem::path& module);

/// Makes the object file of part 0 or 1 ask the other for the kernels whose bodies are there. False
/// if the two would not do what the whole file does.
bool finish_part(const std::filesystem::path& object, std::size_t part);

}  // namespace kata
