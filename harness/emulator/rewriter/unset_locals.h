#pragma once
// Scalars that device code declares without a value.

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kata::emulator {

struct UnsetLocal {
  std::string name;
  int line;
};

/// Functions by name, and which of their parameters (0, 1, ...) are references that they write
/// before they use them, with any arguments: {"block_scan", 1} of
/// `int block_scan(int value, int& total)`.
using WrittenParameters = std::set<std::pair<std::string, int>>;
WrittenParameters written_parameters(const std::vector<std::string_view>& sources);

/// `float best;`, `int lane, warp;` in kernels and device functions: of the built-in types, no
/// arrays, nothing in shared memory, and none that a statement of its block surely writes before it
/// is used. Most of them are written to before they are read. `written`: of the functions that the
/// source may call.
std::vector<UnsetLocal> unset_locals(std::string_view source,
                                     const WrittenParameters& written = {});

}  // namespace kata::emulator
