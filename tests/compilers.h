#pragma once
// The compilers that the emulator is tested with.

#include <cstdlib>
#include <string>
#include <vector>

#include "support/process.h"

namespace kata::test {

/// g++, or clang++ where there is no other; with KATA_TEST_COMPILERS=all, as in the slow tier, each
/// that is installed.
inline std::vector<std::string> compilers() {
  std::vector<std::string> installed;
  for (const std::string name : {"g++", "clang++"}) {
    if (!find_program(name).empty()) installed.push_back(name);
  }
  const char* const which = std::getenv("KATA_TEST_COMPILERS");
  const bool all = which && std::string(which) == "all";
  if (installed.size() > 1 && !all) installed.resize(1);
  return installed;
}

}  // namespace kata::test
