#pragma once
// The 128 bytes of a CUtensorMap as the emulator fills them, and the pieces of memory that a copy
// of one box touches (PTX ISA, 5.5.3 to 5.5.8).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/runtime/memory/cuda_types.h"

namespace kata::emulator {

inline constexpr unsigned most_dimensions = 5;

struct TensorMap {
  std::uint64_t address = 0;
  std::uint64_t dims[most_dimensions] = {};     ///< elements; dimension 0 is the innermost one
  std::uint64_t strides[most_dimensions] = {};  ///< bytes; of dimension 0 an element's
  unsigned box[most_dimensions] = {};
  unsigned element_strides[most_dimensions] = {};
  unsigned rank = 0;
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT8;
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  bool fills_with_nan = false;

  unsigned element_bytes() const;
  /// Elements along a dimension that a copy takes: every element stride's of the box.
  unsigned taken(unsigned dimension) const;
  /// Of a box, elements outside the tensor included.
  std::uint64_t box_bytes() const;
  /// Bytes of a row that a swizzle permutes; 16 without one.
  unsigned swizzle_span() const;
  /// Bytes after which the swizzle pattern repeats; 16 without one.
  unsigned swizzle_period() const;
  /// Of a row of the box in shared memory. A swizzle's rows are as long as its span, on an H200
  /// also where the box is narrower.
  unsigned row_pitch() const;
  bool is_tf32() const;
  /// Why the driver refuses it, by the CUDA Driver API's page on cuTensorMapEncodeTiled; empty: it
  /// does not.
  std::string refusal() const;

  /// Bytes of shared memory, and their place in the tensor; 0: they are outside it.
  struct Cell {
    std::uintptr_t shared, global;
    unsigned bytes;
  };
  /// The box at these coordinates, as the tile that begins at that address. A store to a row whose
  /// length is no multiple of 16 bytes goes on to the next one (an H200, 2026-11-23:
  /// tests/gpu/hopper, group odd_widths).
  std::vector<Cell> cells(const std::int32_t* coordinates, std::uintptr_t tile, bool stores) const;
};

/// Into the 128 bytes of a CUtensorMap, with a checksum.
void encode(const TensorMap& map, CUtensorMap& to);
/// None: nothing has been encoded there.
std::optional<TensorMap> decode(const CUtensorMap& from);

}  // namespace kata::emulator
