#pragma once
// --backend: where a candidate runs.

#include <string>

#include "compile/compile.h"
#include "grading/candidate.h"
#include "support/result.h"

namespace kata::cli {

/// "gpu", "emulator" or "auto": the GPU where there is one to use, else the emulator. An Error
/// says what is missing for "gpu".
Result<Backend> choose_backend(const std::string& wanted);
/// With --on NAME, of which only the other machine knows whether it has a GPU: "auto" is the GPU.
Result<Backend> choose_backend(const std::string& wanted, const std::string& on);

/// Whether the emulator's findings count beside the GPU's results: unless one backend was asked
/// for, or one size, which the emulator may need minutes for.
bool wants_both(const std::string& wanted, const Candidate& candidate);

}  // namespace kata::cli
