#pragma once
// A copy by the tensor memory accelerator (cp.async.bulk, cp.async.bulk.tensor), as pieces of
// memory.

#include <cstdint>
#include <memory>
#include <vector>

namespace kata::emulator {

struct BulkPiece {
  std::uintptr_t to = 0;
  std::uintptr_t from = 0;  ///< 0: nothing is there, and the fill is written
  unsigned bytes = 0;
};

struct BulkCopy {
  std::vector<BulkPiece> pieces;
  std::vector<std::uint8_t> fill = {0};   ///< over and over, where pieces have no source
  bool rounds_to_tf32 = false;            ///< floats, as they are copied
  unsigned swizzle_span = 0;              ///< of a tensor's box: bytes, 16 without one
  std::vector<std::uint8_t> staged = {};  ///< that pieces may come from
  bool is_multicast_again = false;        ///< another block of the mask got the same bytes before
};

}  // namespace kata::emulator
