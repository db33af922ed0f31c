#pragma once
// How large nvcc takes a loop for, which decides how often it unrolls it.

#include <map>
#include <string>

#include "emulator/rewriter/statements.h"

namespace kata::emulator {

/// The functions of a file by name; of overloads, the last.
using Functions = std::map<std::string, FunctionBody>;
Functions functions_of(const Tokens& tokens, const std::vector<FunctionBody>& bodies);

/// In LLVM's instructions. The innermost loop's body; it may call functions.
unsigned size_of_body(const Tokens& tokens, const Range& body, const Functions& functions);

/// How many copies of such a body nvcc makes: 4, 2 or 1.
unsigned unrolled_copies(const Tokens& tokens, const Range& body, const Functions& functions);

}  // namespace kata::emulator
