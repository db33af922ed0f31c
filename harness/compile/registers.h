#pragma once
// What a kernel takes of a multiprocessor, as ptxas, nvcc's assembler, counts it.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "compile/toolchain.h"
#include "support/result.h"

namespace kata {

struct KernelResources {
  std::string kernel;  ///< readable: "void sum<4>(float const*, int)"
  unsigned registers = 0;
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t spilled_bytes = 0;  ///< of a thread: stored to local memory for want of registers
};

/// Of each kernel of a file, compiled for "9.0" as for a measurement. Kept in the cache. An Error
/// where there is no nvcc, or the file does not compile.
Result<std::vector<KernelResources>> kernel_resources(const std::filesystem::path& source,
                                                      const std::string& compute_capability);

/// Compiles the file for a GPU with nvcc; `more` are further options. What nvcc and ptxas print, or
/// an Error with it.
Result<std::string> make_cubin(const Toolchain& nvcc, const std::filesystem::path& source,
                               const std::filesystem::path& cubin,
                               const std::vector<std::string>& more = {});

/// The file's kernels in machine code for "9.0", with lines: a cubin in the cache. An Error where
/// there is no nvcc, or the file does not compile.
Result<std::filesystem::path> machine_code(const std::filesystem::path& source,
                                           const std::string& compute_capability);

/// The same from what `ptxas -v` prints.
std::vector<KernelResources> resources_from_ptxas(const std::string& text);

}  // namespace kata
