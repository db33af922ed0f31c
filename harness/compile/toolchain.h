#pragma once
// Which compiler makes a module, and with which flags.

#include <filesystem>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "compile/hash.h"
#include "compile/sources.h"
#include "support/result.h"

namespace kata {

struct Toolchain {
  std::filesystem::path compiler;
  std::string name;  ///< "g++", "clang++", "nvcc"
  bool clang = false;
  std::vector<std::string> flags;      ///< for translation
  std::vector<std::string> libraries;  ///< for the link, behind the source
};

/// $KATA_EMULATOR_CXX, else g++, else clang++. Without instruments, a call at each basic block is
/// left only where a thread of these sources may wait for another one in a loop.
Result<Toolchain> emulator_toolchain(bool instrumented,
                                     const std::vector<SourceFile>& sources = {});

/// What clangd needs for a candidate, without a CUDA Toolkit.
std::vector<std::string> editor_flags();

/// A program of the CUDA Toolkit from PATH, $CUDA_HOME/bin or /usr/local/cuda/bin; or empty.
std::filesystem::path find_cuda_tool(const std::string& name);

/// A header of the CUDA Toolkit, where nvcc looks for it; empty where none is installed.
std::filesystem::path find_cuda_header(const std::string& name);

/// Where this nvcc looks for headers, in its order; empty where it does not run. It is asked: what
/// PATH has may be a script that starts the nvcc of another folder.
std::vector<std::filesystem::path> header_folders(const std::filesystem::path& nvcc);

/// By these <kata/entry_points.h> declares only what the file defines as extern "C": a kernel of
/// its own may be called scan, and a variable histogram, in another operator's exercise.
std::vector<std::string> entry_options(const SourceFile& file);

/// nvcc, as find_cuda_tool finds it.
Result<Toolchain> gpu_toolchain(const std::string& compute_capability,
                                const std::vector<SourceFile>& sources);

/// Adds the compiler's identity, the flags, and the headers that come with the harness.
void add_toolchain(Hash& hash, const Toolchain& toolchain, Backend backend);

}  // namespace kata
