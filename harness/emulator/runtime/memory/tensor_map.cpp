#include "emulator/runtime/memory/tensor_map.h"

#include <algorithm>
#include <cstring>

namespace kata::emulator {
namespace {

/// What the 128 bytes hold. Box sizes are less 1, strides in 16 bytes.
struct Encoded {
  std::uint64_t checksum;
  std::uint64_t address;
  std::uint32_t last[most_dimensions];  ///< dimensions less 1
  std::uint8_t box[most_dimensions];
  std::uint8_t element_strides[most_dimensions];
  std::uint8_t rank, type, interleave, swizzle, fill, unused;
  std::uint64_t strides[most_dimensions - 1];  ///< bytes
};
static_assert(sizeof(Encoded) <= sizeof(CUtensorMap));

std::uint64_t checksum(const Encoded& encoded) {
  std::uint64_t sum = 0xcbf29ce484222325;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&encoded);
  for (std::size_t i = sizeof encoded.checksum; i < sizeof encoded; ++i)
    sum = (sum ^ bytes[i]) * 0x100000001b3;
  return sum;
}

bool is_float(CUtensorMapDataType type) {
  return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
}

}  // namespace

unsigned TensorMap::element_bytes() const {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
      return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
      return 8;
    default:
      return 4;
  }
}

unsigned TensorMap::taken(unsigned dimension) const {
  if (dimension == 0) return box[0];  // its stride counts with interleaving alone
  return (box[dimension] + element_strides[dimension] - 1) / element_strides[dimension];
}

std::uint64_t TensorMap::box_bytes() const {
  std::uint64_t bytes = element_bytes();
  for (unsigned d = 0; d < rank; ++d) bytes *= taken(d);
  return bytes;
}

unsigned TensorMap::swizzle_span() const {
  return 16u << swizzle;
}

unsigned TensorMap::swizzle_period() const {
  return swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 16 : 128u << swizzle;
}

unsigned TensorMap::row_pitch() const {
  return swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? box[0] * element_bytes() : swizzle_span();
}

bool TensorMap::is_tf32() const {
  return type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 || type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}

std::string TensorMap::refusal() const {
  const bool by_32 = interleave == CU_TENSOR_MAP_INTERLEAVE_32B;
  const unsigned aligned = by_32 ? 32 : 16;
  const std::string multiple = "a multiple of " + std::to_string(aligned);
  const auto named = [](const char* what, unsigned d) {
    return std::string(what) + "[" + std::to_string(d) + "]";
  };
  if (type > CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ) return "the data type is none of a Hopper's";
  if (rank < 1 || rank > most_dimensions) return "the rank must be 1 to 5";
  if (interleave > CU_TENSOR_MAP_INTERLEAVE_32B) return "the interleave is none of CUDA's";
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE && rank < 3)
    return "an interleaved tensor has a rank of 3 at least";
  if (swizzle > CU_TENSOR_MAP_SWIZZLE_128B) return "the swizzle is none of a Hopper's";
  if (fills_with_nan && !is_float(type)) return "integers have no NaN to fill with";
  if (address % aligned != 0) return "globalAddress must be " + multiple;
  for (unsigned d = 0; d < rank; ++d) {
    if (dims[d] == 0 || dims[d] > std::uint64_t{1} << 32)
      return named("globalDim", d) + " must be 1 to 2^32";
    if (d > 0 && (strides[d] % aligned != 0 || strides[d] >= std::uint64_t{1} << 40))
      return named("globalStrides", d - 1) + " must be " + multiple + " bytes, and less than 2^40";
    if (box[d] == 0 || box[d] > 256) return named("boxDim", d) + " must be 1 to 256";
    if (element_strides[d] == 0 || element_strides[d] > 8)
      return named("elementStrides", d) + " must be 1 to 8";
  }
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) return {};
  // On an H200 a box of 228 KiB passes and one of 256 KiB does not.
  if (box_bytes() >= 256 << 10) return "the box is larger than shared memory";
  const unsigned row = box[0] * element_bytes();
  if (row % 16 != 0)
    return "boxDim[0] is " + std::to_string(row) + " bytes, which is no multiple of 16";
  if (swizzle != CU_TENSOR_MAP_SWIZZLE_NONE && row > swizzle_span())
    return "boxDim[0] is " + std::to_string(row) + " bytes, more than the swizzle's " +
           std::to_string(swizzle_span());
  return {};
}

std::vector<TensorMap::Cell> TensorMap::cells(const std::int32_t* coordinates, std::uintptr_t tile,
                                              bool stores) const {
  const std::int64_t each = element_bytes(), row_bytes = each * box[0];
  const std::uintptr_t mask =
      swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 0 : swizzle_period() / 128 - 1;
  std::vector<Cell> result;
  const auto add = [&](std::uintptr_t shared, std::uintptr_t global, unsigned bytes) {
    shared ^= (shared >> 7 & mask) << 4;
    Cell* const last = result.empty() ? nullptr : &result.back();
    const bool goes_on =
        last && last->shared + last->bytes == shared &&
        (global ? last->global && last->global + last->bytes == global : !last->global);
    if (goes_on)
      last->bytes += bytes;
    else
      result.push_back({shared, global, bytes});
  };
  // The bytes of a row that are inside the tensor, in dimension 0.
  const std::int64_t first = coordinates[0], size = static_cast<std::int64_t>(dims[0]);
  const std::int64_t low = std::clamp<std::int64_t>(-first, 0, box[0]) * each;
  std::int64_t high = std::clamp<std::int64_t>(size - first, 0, box[0]) * each;
  // A store also writes the bytes behind the tensor's last column, as an H200 does.
  if (stores) high = std::min((high + 15) / 16 * 16, row_bytes);
  unsigned at[most_dimensions] = {};
  std::uintptr_t shared = tile;
  for (;;) {
    bool inside = true;
    std::int64_t offset = first * each;
    for (unsigned d = 1; d < rank; ++d) {
      const std::int64_t x = std::int64_t{coordinates[d]} + at[d] * element_strides[d];
      inside &= x >= 0 && static_cast<std::uint64_t>(x) < dims[d];
      offset += x * static_cast<std::int64_t>(strides[d]);
    }
    const std::uintptr_t row = address + static_cast<std::uintptr_t>(offset);
    const std::int64_t from = inside ? low : row_bytes, to = inside ? high : row_bytes;
    for (std::int64_t cell = 0; cell < row_bytes; cell += 16) {
      // Before, in and behind the part that is inside the tensor.
      const std::int64_t cuts[] = {cell, std::clamp(from, cell, cell + 16),
                                   std::clamp(to, cell, cell + 16), cell + 16};
      for (int part = 0; part < 3; ++part) {
        if (cuts[part + 1] <= cuts[part]) continue;
        const auto begin = static_cast<std::uintptr_t>(cuts[part]);
        add(shared + begin, part == 1 ? row + begin : 0,
            static_cast<unsigned>(cuts[part + 1] - cuts[part]));
      }
    }
    shared += row_pitch();
    unsigned d = 1;
    while (d < rank && ++at[d] == taken(d)) at[d++] = 0;
    if (d >= rank) return result;
  }
}

void encode(const TensorMap& map, CUtensorMap& to) {
  Encoded encoded{};
  encoded.address = map.address;
  encoded.rank = static_cast<std::uint8_t>(map.rank);
  encoded.type = static_cast<std::uint8_t>(map.type);
  encoded.interleave = static_cast<std::uint8_t>(map.interleave);
  encoded.swizzle = static_cast<std::uint8_t>(map.swizzle);
  encoded.fill = map.fills_with_nan;
  for (unsigned d = 0; d < map.rank; ++d) {
    encoded.last[d] = static_cast<std::uint32_t>(map.dims[d] - 1);
    encoded.box[d] = static_cast<std::uint8_t>(map.box[d] - 1);
    encoded.element_strides[d] = static_cast<std::uint8_t>(map.element_strides[d]);
    if (d > 0) encoded.strides[d - 1] = map.strides[d];
  }
  encoded.checksum = checksum(encoded);
  to = {};
  std::memcpy(&to, &encoded, sizeof encoded);
}

std::optional<TensorMap> decode(const CUtensorMap& from) {
  Encoded encoded;
  std::memcpy(&encoded, &from, sizeof encoded);
  if (encoded.checksum != checksum(encoded)) return std::nullopt;
  TensorMap map{.address = encoded.address,
                .rank = encoded.rank,
                .type = static_cast<CUtensorMapDataType>(encoded.type),
                .interleave = static_cast<CUtensorMapInterleave>(encoded.interleave),
                .swizzle = static_cast<CUtensorMapSwizzle>(encoded.swizzle),
                .fills_with_nan = encoded.fill != 0};
  for (unsigned d = 0; d < map.rank; ++d) {
    map.dims[d] = std::uint64_t{encoded.last[d]} + 1;
    map.box[d] = encoded.box[d] + 1u;
    map.element_strides[d] = encoded.element_strides[d];
    map.strides[d] = d > 0 ? encoded.strides[d - 1] : map.element_bytes();
  }
  return map;
}

}  // namespace kata::emulator
