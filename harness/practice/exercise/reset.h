#pragma once
// The stub as it was; the person's text is kept.

#include <cstdint>
#include <optional>
#include <string>

#include "practice/history.h"
#include "support/result.h"

namespace kata {

/// False if the exercise is the stub, byte for byte.
bool differs_from_stub(const std::string& operator_name);

/// Puts exercises/<operator>/.stub.cu in the place of the exercise. The text that was there is kept
/// in the history first, and its attempt's id returned; nothing if there was nothing to keep. After
/// an Error the exercise is as it was.
Result<std::optional<std::int64_t>> reset_exercise(const std::string& operator_name,
                                                   Result<History> history);

}  // namespace kata
