#pragma once
// Scalars that device code declares without a value.

#include <string>
#include <string_view>
#include <vector>

namespace kata::emulator {

struct UnsetLocal {
  std::string name;
  int line;
};

/// `float best;`, `int lane, warp;` in kernels and device functions: of the built-in types, no
/// arrays, nothing in shared memory, and none that a statement of its block surely writes before it
/// is used. Most of them are written to before they are read.
std::vector<UnsetLocal> unset_locals(std::string_view source);

}  // namespace kata::emulator
