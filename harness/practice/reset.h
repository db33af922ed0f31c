#pragma once
// The stub as it was; the person's text is kept.

#include <filesystem>
#include <string>

#include "support/result.h"

namespace kata {

/// False if the exercise is the stub, byte for byte.
bool differs_from_stub(const std::string& operator_name);

/// Puts exercises/<operator>/.stub.cu in the place of the exercise. The text that was there is
/// written to state_folder()/kept/<operator>/ first, and its path returned; empty if there was
/// nothing to keep. After an Error the exercise is as it was.
Result<std::filesystem::path> reset_exercise(const std::string& operator_name);

}  // namespace kata
