#pragma once
// CUDA C++ -> C++ that g++ and clang++ compile against the emulator's headers. Token by token:
// every line keeps its number, and columns move only behind what was rewritten.

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kata::emulator {

/// `#include "name"`, or `<name>`.
struct Include {
  std::string name;
  bool quoted = true;
};

struct RewriteOptions {
  std::set<std::string> packages = {};  ///< Library::package of those that are installed
  bool clang = false;                   ///< clang++ knows `#pragma unroll`, g++ its own spelling
  bool unroll = false;      ///< each loop with a `#pragma unroll`: fast to run, slow to compile
  bool as_nvcc = false;     ///< refuse what nvcc refuses without options of its own
  bool of_library = false;  ///< a file of a library that runs: what it includes stays
  bool functors_on_host = false;  ///< the program uses Thrust, whose algorithms run there
  /// function_names() of the program's other files: their namesakes may be what is meant.
  std::set<std::string> elsewhere = {};
  /// Where the rewritten copy of an included file lies; empty: not one of the candidate's headers.
  std::function<std::string(const Include&)> own_header = {};
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

/// The names that a source declares or calls like functions.
std::set<std::string> function_names(std::string_view source);

/// The lines of a function with a body that is for the device.
struct DeviceFunction {
  int first, last;
  bool is_kernel;
};
std::vector<DeviceFunction> device_functions(std::string_view source);

/// What a source includes, as written, whether or not the preprocessor would come there.
std::vector<Include> includes(std::string_view source);

}  // namespace kata::emulator
