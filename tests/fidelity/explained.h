#pragma once
// Where the emulator's counters of a rung are not the H200's, and why.

#include <cstddef>
#include <string>
#include <vector>

namespace kata::test {

struct Explained {
  std::string rung, counter;
  std::size_t launches;  ///< in which it differs
  double worst;          ///< of what the H200 counted
  const char* why;
};

inline const std::vector<Explained> explained{};

}  // namespace kata::test
