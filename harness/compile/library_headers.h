#pragma once
// CUB, Thrust and libcu++ from where they are installed, as the emulator's compiler can read them.

#include <set>
#include <string>
#include <vector>

#include "compile/sources.h"
#include "support/result.h"

namespace kata {

/// Of Debian, as emulator::Library names them: CUB and Thrust in $KATA_CUB_AND_THRUST, else
/// /usr/include; libcu++ in the CUDA Toolkit, else /usr/include.
std::set<std::string> installed_packages();

/// What the compiler needs for sources that include headers of theirs; nothing for others. The
/// libraries' own text is rewritten as a candidate's is, into the cache, at the first use.
Result<std::vector<std::string>> library_options(const std::vector<SourceFile>& sources,
                                                 bool clang);

}  // namespace kata
