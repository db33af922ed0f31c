#pragma once
// Calls of libraries that do an operator's work. An exercise asks for kernels of one's own.

#include <filesystem>
#include <optional>
#include <string>

namespace kata {

struct LibraryCall {
  std::filesystem::path file;
  int line;
  std::string name;     ///< as it is written: `thrust`, `cublasSgemm`
  std::string library;  ///< "Thrust"
};

/// The first in the file of that text or in a header of its own; nothing if none of them includes
/// and uses a library.
std::optional<LibraryCall> library_call(const std::filesystem::path& path, const std::string& text);

}  // namespace kata
