#pragma once
// CUDA C++ -> C++ that g++ and clang++ compile against the emulator's headers. Token by token:
// every line keeps its number, and columns move only behind what was rewritten.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kata::emulator {

struct RewriteOptions {
  bool clang = false;  ///< clang++ knows `#pragma unroll`, g++ its own spelling
  /// Where the rewritten copy of a quoted include lies; empty: not one of the candidate's headers.
  std::function<std::string(const std::string& included)> own_header = {};
};

struct RewriteProblem {
  int line;
  std::string message;
};

struct Rewritten {
  std::string text;
  std::vector<RewriteProblem> problems;  ///< what nvcc refuses too, and C++ would misread
};

Rewritten rewrite(std::string_view source, const RewriteOptions& options);

/// The names in `#include "..."` lines, as written.
std::vector<std::string> quoted_includes(std::string_view source);

}  // namespace kata::emulator
