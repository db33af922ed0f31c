#pragma once
// The emulator's <cuda_runtime.h>, parsed once for each compiler and set of flags.

#include <string>
#include <vector>

#include "compile/toolchain.h"
#include "support/result.h"

namespace kata {

/// The arguments that make a translation begin with it; made now if it is not in the cache yet.
Result<std::vector<std::string>> precompiled_header(const Toolchain& toolchain);

}  // namespace kata
