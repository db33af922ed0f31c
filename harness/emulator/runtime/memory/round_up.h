#pragma once
#include <cstddef>

namespace kata::emulator {

/// The least multiple of `unit` that is not below `bytes`.
inline std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace kata::emulator
