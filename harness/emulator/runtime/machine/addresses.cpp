#include "emulator/runtime/machine/addresses.h"

namespace kata::emulator::machine {

WideLanes generic_addresses(const Context& it, std::int64_t from) {
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

WideLanes shared_addresses(const Context& it, unsigned register_at, unsigned uniform_at,
                           std::int64_t from) {
  const Lanes& base = it.file[it.word.field(register_at)];
  auto more = static_cast<std::uint32_t>(from);
  if (it.word.bit(91) && uniform_at != no_uniform) {
    const unsigned number = it.word.field(uniform_at, 6);
    more += number == 63 ? 0 : it.warp.uniform[number][0];
  }
  WideLanes all;
  for (unsigned i = 0; i < 32; ++i) all[i] = offset_in_shared(base[i] + more);
  return all;
}

namespace {

std::byte* shared_of(Block& block, std::uint64_t offset, unsigned bytes) {
  if (offset % bytes != 0 || offset + bytes > block.shared.size())
    throw Unsupported{"an invalid address in shared memory"};
  return block.shared.data() + offset;
}

bool is_shared_address(std::uint64_t address) {
  return address >> 32 == shared_window;
}

}  // namespace

std::byte* shared_at(const Context& it, std::uint64_t offset, unsigned bytes) {
  return shared_of(it.warp.block, offset, bytes);
}

std::byte* memory_at(const Context& it, std::uint64_t address, unsigned bytes, bool is_written) {
  if (!is_shared_address(address)) return launch_of(it).memory.at(address, bytes, is_written);
  const auto& blocks = it.warp.block.cluster->blocks;
  const auto in_window = static_cast<std::uint32_t>(address);
  if (rank_in_cluster(in_window) >= blocks.size())
    throw Unsupported{"an invalid address in shared memory"};
  return shared_of(*blocks[rank_in_cluster(in_window)], offset_in_shared(in_window), bytes);
}

void count_generic(const Context& it, AccessKind kind, unsigned log2_width,
                   const WideLanes& addresses) {
  Context global = it, shared = it;
  WideLanes offsets{};
  for (unsigned lane = 0; lane < 32; ++lane) {
    const auto in_window = static_cast<std::uint32_t>(addresses[lane]);
    const unsigned bit = 1u << lane;
    const bool is_shared = is_shared_address(addresses[lane]);
    const bool is_own = is_shared && rank_in_cluster(in_window) == it.warp.block.rank;
    if (is_shared) global.lanes &= ~bit;
    if (!is_own) shared.lanes &= ~bit;
    if (is_own) offsets[lane] = offset_in_shared(in_window);
  }
  if (global.lanes != 0) launch_of(it).count(global, kind, log2_width, addresses);
  if (shared.lanes != 0) launch_of(it).count_generic(shared, kind, log2_width, offsets);
}

}  // namespace kata::emulator::machine
