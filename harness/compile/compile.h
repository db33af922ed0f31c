#pragma once
// A candidate file becomes a loadable module: nvcc for the GPU, g++ or clang++ through the
// rewriter for the emulator. Modules are cached by content.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"

namespace kata {

enum class Backend { gpu, emulator };

struct CompileRequest {
  std::filesystem::path source;
  std::optional<std::string> text = {};  ///< what `source` holds, where it has been read already
  Backend backend = Backend::emulator;
  /// gpu: "9.0", the compute capability of the GPU in the machine; empty if there is none (PTX
  /// only).
  std::string compute_capability = {};
  /// emulator: false makes a fast module whose memory accesses are not checked.
  bool instrumented = true;
  /// emulator: what a local variable holds that nothing was written to: zeros, else 0xfe in each
  /// byte, so that a run repeats.
  bool zero_locals = false;
  /// emulator: whether overflows of signed integers are found.
  bool overflows = false;
  /// emulator: whether to refuse what nvcc refuses in device code without options of its own. A
  /// program may come with such options.
  bool as_nvcc = false;
  // Of a whole program (on the emulator):
  std::vector<std::filesystem::path> more_sources = {};     ///< its other translation units
  std::vector<std::filesystem::path> include_folders = {};  ///< -I
  std::vector<std::string> definitions = {};                ///< -D: "NAME" or "NAME=VALUE"
  bool openmp = false;                                      ///< -fopenmp
  std::string standard = {};                                ///< -std; empty: nvcc's, C++17
};

/// A local variable that may be read before anything is written to it.
struct UninitializedLocal {
  std::string name;
  std::filesystem::path file = {};
  int line = 0;      ///< of the read
  int declared = 0;  ///< 0: unknown
  /// Each time that the line is reached; else the compiler saw a way that leads there.
  bool certain = false;
  /// False: the compiler saw no such read; its declaration gives it no value (`line`: there, too).
  bool warned = true;
};

struct Module {
  std::filesystem::path path;
  std::string key;                     ///< content hash of source, headers, flags and compiler
  std::vector<std::string> functions;  ///< names of the functions that it exports, extern "C" ones
  bool cached = false;
  std::vector<UninitializedLocal> uninitialized = {};  ///< emulator
};

/// The module, or an Error whose detail is the compiler's output with the lines of the person's
/// file. Headers that a candidate includes in quotes belong to it.
Result<Module> compile(const CompileRequest& request);

}  // namespace kata
