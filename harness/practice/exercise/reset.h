#pragma once
// The stub as it was; the person's text is kept.

#include <cstdint>
#include <optional>
#include <string>

#include "practice/history.h"
#include "problems/spec/problem.h"
#include "support/result.h"

namespace kata {

/// The text that an interview starts from: the stub, whose first comment is what the interviewer
/// says. The stub's own answers what the person has to ask.
std::string interview_text(const Problem& problem, const std::string& stub);

/// False if the exercise is the stub, byte for byte, or what an interview starts from.
bool differs_from_stub(const std::string& operator_name);

/// Puts exercises/<operator>/.stub.cu in the place of the exercise. The text that was there is kept
/// in the history first, and its attempt's id returned; nothing if there was nothing to keep. After
/// an Error the exercise is as it was.
Result<std::optional<std::int64_t>> reset_exercise(const std::string& operator_name,
                                                   Result<History> history);

}  // namespace kata
