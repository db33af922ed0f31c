// Loads, stores and asynchronous copies.
#include "emulator/runtime/machine/addresses.h"

namespace kata::emulator::machine {
namespace {

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

/// Others may answer, and it has been asked for the same since the warp wrote, or met others: how
/// often depends on time, so a profiler's count is this one or higher.
bool is_poll(const Context& it, const WideLanes& addresses) {
  constexpr unsigned strong = 5;  // from the block's scope on
  if (it.word.field(77, 4) < strong) return false;
  const std::pair now{it.lanes, addresses};
  const auto [asked, is_first] = it.warp.asked.try_emplace(&it.word, now);
  if (is_first || asked->second != now) {
    asked->second = now;
    return false;
  }
  return it.warp.has_polled = true;
}

void load_global(const Context& it) {
  const WideLanes addresses = generic_addresses(it, offset(it));
  if (!is_poll(it, addresses))
    count_generic(it, AccessKind::global_load, type_of(it).log2_bytes(), addresses);
  load(it,
       [&](unsigned lane, unsigned bytes) { return memory_at(it, addresses[lane], bytes, false); });
}

void store_global(const Context& it) {
  const WideLanes addresses = generic_addresses(it, offset(it));
  it.warp.asked.clear();
  count_generic(it, AccessKind::global_store, type_of(it).log2_bytes(), addresses);
  store(it,
        [&](unsigned lane, unsigned bytes) { return memory_at(it, addresses[lane], bytes, true); });
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

// ---- asynchronous copies, matrices

void copy_asynchronously(const Context& it) {
  const unsigned log2_bytes = Type(it.word.field(73, 3)).log2_bytes(), bytes = 1u << log2_bytes;
  const WideLanes from = generic_addresses(it, sign_extended(it.word.bits(32, 12), 12));
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
  static const Table table{{0x180, load_global},         {0x185, store_global},
                           {0x181, load_global},         {0x186, store_global},
                           {0x183, load_local},          {0x187, store_local},
                           {0x184, load_shared},         {0x188, store_shared},
                           {0x1ae, copy_asynchronously}, {0x03b, load_matrices}};
  return table;
}

}  // namespace kata::emulator::machine
