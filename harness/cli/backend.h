#pragma once
// --backend: where a candidate runs.

#include <string>

#include "compile/compile.h"
#include "support/result.h"

namespace kata::cli {

/// "gpu", "emulator" or "auto": the GPU where there is one to use, else the emulator. An Error
/// says what is missing for "gpu".
Result<Backend> choose_backend(const std::string& wanted);

}  // namespace kata::cli
