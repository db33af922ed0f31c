#pragma once
// The symbols of a shared object, read from the file: no child process, nothing loaded.

#include <filesystem>
#include <string>
#include <vector>

namespace kata {

struct DynamicSymbols {
  std::vector<std::string> functions;  ///< defined, global (not weak), not C++-mangled
  std::vector<std::string> exported;   ///< everything defined
  std::vector<std::string> undefined;  ///< needed from elsewhere (weak references left out)
};

/// Empty lists if the file is no 64-bit shared object.
DynamicSymbols read_dynamic_symbols(const std::filesystem::path& path);

}  // namespace kata
