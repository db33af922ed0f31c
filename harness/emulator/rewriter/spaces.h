#pragma once
// Where a function runs, by the text of its declaration.

#include <string>
#include <vector>

#include "emulator/rewriter/cursor.h"

namespace kata::emulator {

enum class Space { unknown, host, device, kernel };

/// Unknown where a macro may say more, or the function is constexpr. A function for both sides is
/// of the device.
Space space_of(const Tokens& tokens, const FunctionBody& body);

/// From an `#if`, `#ifdef` or `#ifndef` to its `#endif`.
struct Conditional {
  std::string text;  ///< "ifdef NAME"
  Range first_part;  ///< up to the first #else or #elif
  Range whole;
};
std::vector<Conditional> conditionals(const Tokens& tokens);

/// What lies between an `#if` that asks which compiler reads the file, or that is never true, and
/// its `#endif`: nvcc may see none of it.
std::vector<Range> conditional_parts(const Tokens& tokens);

}  // namespace kata::emulator
