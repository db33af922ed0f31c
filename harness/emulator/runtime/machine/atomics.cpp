// Atomic operations.
#include "emulator/runtime/machine/addresses.h"

namespace kata::emulator::machine {
namespace {

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
  const WideLanes addresses = generic_addresses(it, offset(it));
  it.warp.asked.clear();
  count_generic(it, AccessKind::global_atomic, wide ? 3 : 2, addresses);
  WideLanes old{};
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(it.lanes >> lane & 1)) continue;
    std::byte* const at = memory_at(it, addresses[lane], wide ? 8 : 4, true);
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
  const WideLanes addresses = generic_addresses(it, offset(it));
  it.warp.asked.clear();
  count_generic(it, AccessKind::global_atomic, wide ? 3 : 2, addresses);
  unsigned swapped = 0;
  set_old(it,
          compare_and_swap(
              it, wide,
              [&](unsigned lane, unsigned bytes) {
                return memory_at(it, addresses[lane], bytes, true);
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

}  // namespace

const Table& atomic_operations() {
  static const Table table{{0x18a, update_global_integers}, {0x18b, compare_and_swap_global},
                           {0x18c, update_shared},          {0x18d, compare_and_swap_shared},
                           {0x1a8, update_global_integers}, {0x1a3, update_global_floats},
                           {0x18e, reduce_global_integers}, {0x1a6, reduce_global_floats},
                           {0x1a9, compare_and_swap_global}};
  return table;
}

}  // namespace kata::emulator::machine
