#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/abi.h"

namespace kata::emulator {

/// Whether the byte at this offset in an array of objects belongs to none of their members.
inline bool is_padding(const Padding& padding, std::size_t offset) {
  if (!padding.clear) return false;
  std::vector<std::uint8_t> object(padding.bytes, 0xff);
  padding.clear(object.data());
  return object[offset % padding.bytes] == 0;
}

}  // namespace kata::emulator
