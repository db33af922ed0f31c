#pragma once
// A file's kernels as nvcc compiles them: instructions by source line, registers, shared memory.

#include <filesystem>
#include <string>
#include <vector>

#include "assembly/listing.h"
#include "compile/registers.h"
#include "compile/sources.h"
#include "support/result.h"

namespace kata::assembly {

enum class Language { sass, ptx };
const char* to_string(Language language);  ///< "SASS"

struct Kernel {
  KernelResources resources;  ///< with its name; of a device function the name alone
  std::vector<Instruction> instructions;
};

struct Assembly {
  Language language = Language::ptx;
  std::string toolkit;              ///< "13.0.88"
  std::string architecture;         ///< "sm_90a"
  std::vector<SourceFile> sources;  ///< the file, then the headers of its own
  std::vector<Kernel> kernels;
};

/// Of a file that nvcc compiles for "9.0". SASS if nvdisasm is there and `ptx` is not wanted. Kept
/// in the cache by everything that goes into it. An Error without nvcc, or where the file does not
/// compile.
Result<Assembly> assemble(const std::filesystem::path& source,
                          const std::string& compute_capability, bool ptx);

/// Why there is no SASS on this machine, and how to get it; empty if nvdisasm is there.
std::string missing_for_sass();

}  // namespace kata::assembly
