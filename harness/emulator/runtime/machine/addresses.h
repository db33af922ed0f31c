#pragma once
// Where loads, stores and atomic operations go.

#include <algorithm>

#include "emulator/runtime/machine/launch.h"
#include "emulator/runtime/machine/sources.h"

namespace kata::emulator::machine {

constexpr std::int64_t sign_extended(std::uint64_t value, unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>((value ^ sign) - sign);
}

inline std::int64_t offset(const Context& it) {
  return sign_extended(it.word.bits(40, 24), 24);
}

inline Launch& launch_of(const Context& it) {
  return it.warp.block.launch;
}

/// U8, S8, U16, S16, 32, 64, 128 bits.
struct Type {
  explicit Type(unsigned field) : number(std::min(field, 6u)) {}
  unsigned log2_bytes() const { return number < 4 ? number / 2 : number - 2; }
  unsigned bytes() const { return 1u << log2_bytes(); }
  bool is_signed() const { return number == 1 || number == 3; }
  unsigned number;
};
inline Type type_of(const Context& it) {
  return Type(it.word.field(73, 3));
}

/// A pair of registers, or one if the address has 32 bits. They may be of shared memory.
WideLanes generic_addresses(const Context& it, std::int64_t from);

inline constexpr unsigned no_uniform = 128;

/// Offsets in the block's shared memory. `uniform_at`: where the instruction may name a uniform
/// register that is added.
WideLanes shared_addresses(const Context& it, unsigned register_at, unsigned uniform_at,
                           std::int64_t from);

/// Of the block's own.
std::byte* shared_at(const Context& it, std::uint64_t offset, unsigned bytes);

/// At an address of any memory, that of other blocks of the cluster, too.
std::byte* memory_at(const Context& it, std::uint64_t address, unsigned bytes, bool is_written);

/// Of global memory, or of the block's own shared memory. What goes to other blocks' has no
/// wavefronts here.
void count_generic(const Context& it, AccessKind kind, unsigned log2_width,
                   const WideLanes& addresses);

}  // namespace kata::emulator::machine
