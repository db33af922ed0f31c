#pragma once
// Rewritten translation units become one module of the emulator's.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compile/emulator_source.h"
#include "compile/sources.h"
#include "compile/toolchain.h"
#include "support/result.h"

namespace kata {

struct Translation {
  const Toolchain& toolchain;
  const std::vector<SourceFile>& sources;   ///< the units first
  const std::vector<RewrittenFile>& files;  ///< the same, as the compiler gets them
  std::size_t units;
  std::vector<std::string> options;  ///< the person's -I and -D
  // What C++ alone needs: the libraries' headers, in front of the emulator's own and behind them.
  std::vector<std::string> first_cpp_options, cpp_options;
};

/// Compiles the units, side by side if there are several, into the shared library `module`. What
/// the compiler warned of; the Error is of the first unit that does not compile, or says what two
/// units both define.
Result<std::string> translate(const Translation& translation, const std::filesystem::path& module);

}  // namespace kata
