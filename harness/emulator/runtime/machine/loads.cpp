// Loads, stores, atomic operations and asynchronous copies.
#include <algorithm>
#include <bit>

#include "emulator/runtime/machine/halves.h"
#include "emulator/runtime/machine/launch.h"
#include "emulator/runtime/machine/sources.h"

namespace kata::emulator::machine {
namespace {

constexpr std::int64_t sign_extended(std::uint64_t value, unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>((value ^ sign) - sign);
}

std::int64_t offset(const Context& it) {
  return sign_extended(it.word.bits(40, 24), 24);
}

/// A pair of registers, or one if the address has 32 bits.
WideLanes global_addresses(const Context& it, std::int64_t from) {
  const unsigned number = it.word.field(24);
  const Lanes& low = it.file[number];
  const bool is_wide = it.word.bit(72) || it.opcode == 0x1ae;
  const Lanes& high = number == 255 ? low : it.file[number + 1];
  WideLanes all;
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint64_t address = low[i] | (is_wide ? std::uint64_t{high[i]} << 32 : 0);
    all[i] = address + static_cast<std::uint64_t>(from);
  }
  return all;
}

constexpr unsigned no_uniform = 128;

/// Offsets in the block's shared memory. `uniform_at`: where the instruction may name a uniform
/// register that is added.
WideLanes shared_addresses(const Context& it, unsigned register_at, unsigned uniform_at,
                           std::int64_t from) {
  const Lanes& base = it.file[it.word.field(register_at)];
  std::uint32_t more = static_cast<std::uint32_t>(from) - shared_low;
  if (it.word.bit(91) && uniform_at != no_uniform) {
    const unsigned number = it.word.field(uniform_at, 6);
    more += number == 63 ? 0 : it.warp.uniform[number][0];
  }
  WideLanes all;
  for (unsigned i = 0; i < 32; ++i) all[i] = static_cast<std::uint32_t>(base[i] + more);
  return all;
}

std::byte* shared_at(const Context& it, std::uint64_t address, unsigned bytes) {
  auto& shared = it.warp.block.shared;
  if (address % bytes != 0 || address + bytes > shared.size())
    throw Unsupported{"an invalid address in shared memory"};
  return shared.data() + address;
}

/// U8, S8, U16, S16, 32, 64, 128 bits.
struct Type {
  explicit Type(unsigned field) : number(std::min(field, 6u)) {}
  unsigned log2_bytes() const { return number < 4 ? number / 2 : number - 2; }
  unsigned bytes() const { return 1u << log2_bytes(); }
  bool is_signed() const { return number == 1 || number == 3; }
  unsigned number;
};
Type type_of(const Context& it) {
  return Type(it.word.field(73, 3));
}

template <class At>
void load(const Context& it, At at) {
  const Type type = type_of(it);
  const unsigned to = it.to();
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(it.lanes >> lane & 1)) continue;
    std::array<std::uint32_t, 4> words{};
    std::memcpy(words.data(), at(lane, type.bytes()), type.bytes());
    if (type.is_signed())
      words[0] = static_cast<std::uint32_t>(sign_extended(words[0], 8 * type.bytes()));
    if (to == it.file.zero) continue;
    for (unsigned word = 0; word < std::max(1u, type.bytes() / 4); ++word)
      it.file.general[to + word][lane] = words[word];
  }
}

template <class At>
void store(const Context& it, At at) {
  const Type type = type_of(it);
  const unsigned from = it.word.field(32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(it.lanes >> lane & 1)) continue;
    std::array<std::uint32_t, 4> words{};
    for (unsigned word = 0; word < std::max(1u, type.bytes() / 4); ++word)
      words[word] = from == it.file.zero ? 0 : it.file[from + word][lane];
    std::memcpy(at(lane, type.bytes()), words.data(), type.bytes());
  }
}

Launch& launch_of(const Context& it) {
  return it.warp.block.launch;
}

void load_global(const Context& it) {
  const WideLanes addresses = global_addresses(it, offset(it));
  launch_of(it).count(it, AccessKind::global_load, type_of(it).log2_bytes(), addresses);
  load(it, [&](unsigned lane, unsigned bytes) {
    return launch_of(it).memory.at(addresses[lane], bytes, false);
  });
}

void store_global(const Context& it) {
  const WideLanes addresses = global_addresses(it, offset(it));
  launch_of(it).count(it, AccessKind::global_store, type_of(it).log2_bytes(), addresses);
  store(it, [&](unsigned lane, unsigned bytes) {
    return launch_of(it).memory.at(addresses[lane], bytes, true);
  });
}

WideLanes plain_shared_addresses(const Context& it, unsigned uniform_at) {
  if (it.word.field(78, 2) != 0) throw Unsupported{"a scaled address"};
  return shared_addresses(it, 24, uniform_at, offset(it));
}

void load_shared(const Context& it) {
  const WideLanes addresses = plain_shared_addresses(it, 32);
  launch_of(it).count(it, AccessKind::shared_load, type_of(it).log2_bytes(), addresses);
  load(it, [&](unsigned lane, unsigned bytes) { return shared_at(it, addresses[lane], bytes); });
}

void store_shared(const Context& it) {
  const WideLanes addresses = plain_shared_addresses(it, 64);
  launch_of(it).count(it, AccessKind::shared_store, type_of(it).log2_bytes(), addresses);
  store(it, [&](unsigned lane, unsigned bytes) { return shared_at(it, addresses[lane], bytes); });
}

/// Local memory: words of all lanes side by side.
template <class F>
void for_local_words(const Context& it, F f) {
  const Lanes& base = it.file[it.word.field(24)];
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(it.lanes >> lane & 1)) continue;
    const std::uint32_t address = base[lane] + static_cast<std::uint32_t>(offset(it));
    const unsigned bytes = type_of(it).bytes();
    if (address >= 1 << 20 || address % bytes != 0) throw Unsupported{"local memory"};
    auto& local = it.warp.local;
    if (local.size() <= (address + bytes) / 4) local.resize((address + bytes) / 4 + 1);
    f(lane, address, bytes);
  }
}

void load_local(const Context& it) {
  for_local_words(it, [&](unsigned lane, std::uint32_t address, unsigned bytes) {
    for (unsigned at = 0; at < bytes; at += 4) {
      std::uint32_t word = it.warp.local[(address + at) / 4][lane] >> 8 * (address % 4);
      if (bytes < 4) {
        word &= (1u << 8 * bytes) - 1;
        if (type_of(it).is_signed())
          word = static_cast<std::uint32_t>(sign_extended(word, 8 * bytes));
      }
      if (it.to() != it.file.zero) it.file.general[it.to() + at / 4][lane] = word;
    }
  });
}

void store_local(const Context& it) {
  const unsigned from = it.word.field(32);
  for_local_words(it, [&](unsigned lane, std::uint32_t address, unsigned bytes) {
    for (unsigned at = 0; at < bytes; at += 4) {
      const std::uint32_t word = from == it.file.zero ? 0 : it.file[from + at / 4][lane];
      std::uint32_t& to = it.warp.local[(address + at) / 4][lane];
      const std::uint32_t mask = bytes < 4 ? ((1u << 8 * bytes) - 1) << 8 * (address % 4) : ~0u;
      to = (to & ~mask) | (word << 8 * (address % 4) & mask);
    }
  });
}

// ---- atomic operations

template <class T>
T updated(unsigned how, T old, T value) {
  switch (how) {
    case 0:
      return static_cast<T>(old + value);
    case 1:
      return std::min(old, value);
    case 2:
      return std::max(old, value);
    case 3:
      return old >= value ? T{0} : static_cast<T>(old + 1);
    case 4:
      return old == 0 || old > value ? value : static_cast<T>(old - 1);
    case 8:
      return value;
    default:
      if constexpr (std::is_integral_v<T>) {
        if (how == 5) return old & value;
        if (how == 6) return old | value;
        if (how == 7) return old ^ value;
      }
      throw Unsupported{"an atomic operation"};
  }
}

template <class T>
void update(std::byte* at, unsigned how, std::uint64_t value, std::uint64_t& old) {
  T before, operand;
  std::memcpy(&before, at, sizeof(T));
  std::memcpy(&operand, &value, sizeof(T));
  const T after = updated(how, before, operand);
  std::memcpy(at, &after, sizeof(T));
  old = 0;
  std::memcpy(&old, &before, sizeof(T));
}

std::uint64_t register_value(const Context& it, unsigned number, unsigned lane, bool wide) {
  if (number == it.file.zero) return 0;
  return it.file[number][lane] | (wide ? std::uint64_t{it.file[number + 1][lane]} << 32 : 0);
}

void set_old(const Context& it, const WideLanes& old, bool wide) {
  if (wide) return it.file.set_wide(it.to(), old, it.lanes);
  Lanes narrow;
  for (unsigned i = 0; i < 32; ++i) narrow[i] = static_cast<std::uint32_t>(old[i]);
  it.file.set(it.to(), narrow, it.lanes);
}

/// By the opcode, of integers: u32, s32, u64, s64.
void update_integer(std::byte* at, unsigned type, unsigned how, std::uint64_t value,
                    std::uint64_t& old) {
  switch (type) {
    case 0:
      return update<std::uint32_t>(at, how, value, old);
    case 1:
      return update<std::int32_t>(at, how, value, old);
    case 2:
      return update<std::uint64_t>(at, how, value, old);
    case 3:
      return update<std::int64_t>(at, how, value, old);
    default:
      throw Unsupported{"an atomic operation of another type"};
  }
}

/// RED has no result.
void update_global(const Context& it, bool is_float, bool has_result) {
  const unsigned type = it.word.field(73, 4);
  const unsigned how = it.word.field(87, has_result ? 4 : 3);
  const bool wide = is_float ? type == 15 : type >= 2;
  const WideLanes addresses = global_addresses(it, offset(it));
  launch_of(it).count(it, AccessKind::global_atomic, wide ? 3 : 2, addresses);
  WideLanes old{};
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(it.lanes >> lane & 1)) continue;
    std::byte* const at = launch_of(it).memory.at(addresses[lane], wide ? 8 : 4, true);
    const std::uint64_t value = register_value(it, it.word.field(32), lane, wide);
    if (!is_float) {
      update_integer(at, type, how, value, old[lane]);
    } else if (type == 15) {
      update<double>(at, how, value, old[lane]);
    } else if (type == 9 || type == 12) {
      update<float>(at, how, value, old[lane]);
    } else {
      throw Unsupported{"an atomic operation of another type"};
    }
  }
  if (has_result) set_old(it, old, wide);
}
void update_global_integers(const Context& it) {
  update_global(it, false, true);
}
void update_global_floats(const Context& it) {
  update_global(it, true, true);
}
void reduce_global_integers(const Context& it) {
  update_global(it, false, false);
}
void reduce_global_floats(const Context& it) {
  update_global(it, true, false);
}

/// Of 4 or 8 bytes: lanes take turns.
template <class At>
WideLanes compare_and_swap(const Context& it, bool wide, At at, unsigned& swapped) {
  const unsigned bytes = wide ? 8 : 4;
  WideLanes old{};
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(it.lanes >> lane & 1)) continue;
    const std::uint64_t expected = register_value(it, it.word.field(32), lane, wide);
    const std::uint64_t value = register_value(it, it.word.field(64), lane, wide);
    std::byte* const place = at(lane, bytes);
    std::memcpy(&old[lane], place, bytes);
    if (old[lane] != expected) continue;
    std::memcpy(place, &value, bytes);
    swapped |= 1u << lane;
  }
  return old;
}

void compare_and_swap_global(const Context& it) {
  const bool wide = it.word.bit(74);
  const WideLanes addresses = global_addresses(it, offset(it));
  launch_of(it).count(it, AccessKind::global_atomic, wide ? 3 : 2, addresses);
  unsigned swapped = 0;
  set_old(it,
          compare_and_swap(
              it, wide,
              [&](unsigned lane, unsigned bytes) {
                return launch_of(it).memory.at(addresses[lane], bytes, true);
              },
              swapped),
          wide);
}

/// `.CAST.SPIN` says whether it has swapped.
void compare_and_swap_shared(const Context& it) {
  const bool wide = it.word.bit(74), says = it.word.field(87, 2) == 3;
  const WideLanes addresses = shared_addresses(it, 24, no_uniform, offset(it));
  launch_of(it).count(it, AccessKind::shared_atomic, wide ? 3 : 2, addresses);
  unsigned swapped = 0;
  WideLanes old = compare_and_swap(
      it, wide,
      [&](unsigned lane, unsigned bytes) { return shared_at(it, addresses[lane], bytes); },
      swapped);
  if (says)
    for (unsigned i = 0; i < 32; ++i) old[i] = swapped >> i & 1;
  set_old(it, old, wide && !says);
}

void update_shared(const Context& it) {
  constexpr unsigned add_lanes = 11;
  const unsigned type = it.word.field(73, 4), how = it.word.field(87, 4);
  const WideLanes addresses = shared_addresses(it, 24, 64, offset(it));
  launch_of(it).count(it, AccessKind::shared_atomic, type >= 2 ? 3 : 2, addresses);
  WideLanes old{};
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(it.lanes >> lane & 1)) continue;
    std::byte* const at = shared_at(it, addresses[lane], type >= 2 ? 8 : 4);
    if (how == add_lanes)
      update<std::uint32_t>(at, 0, 1, old[lane]);
    else
      update_integer(at, type, how, register_value(it, it.word.field(32), lane, type >= 2),
                     old[lane]);
  }
  set_old(it, old, type >= 2);
}

// ---- asynchronous copies, matrices

void copy_asynchronously(const Context& it) {
  const unsigned log2_bytes = Type(it.word.field(73, 3)).log2_bytes(), bytes = 1u << log2_bytes;
  const WideLanes from = global_addresses(it, sign_extended(it.word.bits(32, 12), 12));
  const WideLanes to =
      shared_addresses(it, 16, no_uniform, sign_extended(it.word.bits(44, 20), 20));
  // Where a lane does not copy, it fills with zeros.
  const unsigned copying = it.word.bit(82) ? predicate_at(it, 87, 90) & it.lanes : it.lanes;
  launch_of(it).count_copy(it, log2_bytes, !it.word.bit(81), copying, from, to);
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(it.lanes >> lane & 1)) continue;
    std::byte* const place = shared_at(it, to[lane], bytes);
    if (copying >> lane & 1)
      std::memcpy(place, launch_of(it).memory.at(from[lane], bytes, false), bytes);
    else
      std::memset(place, 0, bytes);
  }
}

/// LDSM: 8 lanes name the rows of each matrix of 8 x 8 halves.
void load_matrices(const Context& it) {
  const unsigned count = 1u << it.word.field(72, 2);
  const bool transposed = it.word.bit(78);
  const WideLanes rows = shared_addresses(it, 24, 32, offset(it));
  launch_of(it).count_matrices(it, count, rows);
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    Lanes result;
    for (unsigned lane = 0; lane < 32; ++lane) {
      std::uint16_t pair[2];
      for (unsigned k = 0; k < 2; ++k) {
        const unsigned row = transposed ? lane % 4 * 2 + k : lane / 4;
        const unsigned column = transposed ? lane / 4 : lane % 4 * 2 + k;
        const std::byte* const at = shared_at(it, rows[8 * matrix + row], 16);
        std::memcpy(&pair[k], at + 2 * column, 2);
      }
      result[lane] = pair[0] | std::uint32_t{pair[1]} << 16;
    }
    it.file.set(it.to() + matrix, result, it.lanes);
  }
}

}  // namespace

const Table& memory_operations() {
  // Addresses that may be of any memory are taken for those of device memory, if they are.
  static const Table table{{0x180, load_global},
                           {0x185, store_global},
                           {0x18a, update_global_integers},
                           {0x18b, compare_and_swap_global},
                           {0x181, load_global},
                           {0x186, store_global},
                           {0x183, load_local},
                           {0x187, store_local},
                           {0x184, load_shared},
                           {0x188, store_shared},
                           {0x18c, update_shared},
                           {0x18d, compare_and_swap_shared},
                           {0x1a8, update_global_integers},
                           {0x1a3, update_global_floats},
                           {0x18e, reduce_global_integers},
                           {0x1a6, reduce_global_floats},
                           {0x1a9, compare_and_swap_global},
                           {0x1ae, copy_asynchronously},
                           {0x03b, load_matrices}};
  return table;
}

}  // namespace kata::emulator::machine
