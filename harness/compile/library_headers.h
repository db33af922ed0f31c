#pragma once
// CUB, Thrust and libcu++ from where they are installed, as the emulator's compiler can read them.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/sources.h"
#include "support/result.h"

namespace kata {

/// A package of Debian, as emulator::Library names it: CUB and Thrust in $KATA_CUB_AND_THRUST, else
/// /usr/include, else in the CUDA Toolkit; libcu++ in the CUDA Toolkit, else /usr/include.
bool is_installed(std::string_view package);

/// Of the packages that the sources include headers of.
std::set<std::string> installed_packages(const std::vector<SourceFile>& sources);

/// What the compiler needs for sources that include headers of theirs; nothing for others. The
/// libraries' own text is rewritten as a candidate's is, into the cache, at the first use.
struct LibraryOptions {
  std::vector<std::string> first;    ///< in front of the emulator's headers
  std::vector<std::string> options;  ///< behind them
};
Result<LibraryOptions> library_options(const std::vector<SourceFile>& sources, bool clang);

}  // namespace kata
