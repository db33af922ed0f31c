#include "timing/occupancy.h"

#include <algorithm>

namespace kata {
namespace {

constexpr unsigned warp_size = 32;
constexpr unsigned register_unit = 256;  // a warp's registers come in these
constexpr unsigned shared_unit = 128;    // bytes
constexpr unsigned schedulers = 4;       // of a multiprocessor: registers belong to one of them

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

unsigned resident_blocks(const Residency& room, unsigned threads, std::uint64_t shared_bytes,
                         unsigned registers) {
  if (threads == 0) return 0;
  const unsigned warps = (threads + warp_size - 1) / warp_size;
  const std::uint64_t shared = round_up(shared_bytes + room.reserved_shared_bytes, shared_unit);
  const std::uint64_t of_warp = round_up(std::uint64_t{registers} * warp_size, register_unit);
  const std::uint64_t warps_by_registers =
      of_warp == 0 ? room.threads : room.registers / schedulers / of_warp * schedulers;
  const std::uint64_t most = std::min(
      {std::uint64_t{room.blocks}, std::uint64_t{room.threads / (warps * warp_size)},
       shared == 0 ? room.blocks : room.shared_bytes / shared, warps_by_registers / warps});
  return static_cast<unsigned>(most);
}

}  // namespace kata
