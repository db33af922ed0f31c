#pragma once
// The rewriter in a word, for its tests.

#include <algorithm>
#include <string>

#include "emulator/rewriter/rewrite.h"

namespace kata::emulator::test {

inline std::string rewritten(const std::string& source) {
  return rewrite(source, {}).text;
}

inline std::ptrdiff_t lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace kata::emulator::test
