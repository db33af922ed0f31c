#include "emulator/runtime/machine/launch.h"

#include <algorithm>
#include <bit>

#include "emulator/runtime/count/bypass_copies.h"

namespace kata::emulator::machine {
namespace {

/// Where the system puts what, before the parameters; `workspace_at`: the high word comes first.
constexpr unsigned stack_top_at = 0x28, workspace_at = 0x44, cluster_at = 0x140;
constexpr unsigned stack_bytes = 1 << 16, most_before_parameters = 0x400;

Request request_of(unsigned lanes, const WideLanes& addresses) {
  Request request;
  request.lanes = lanes;
  const std::uint64_t first = addresses[static_cast<unsigned>(std::countr_zero(lanes))];
  request.base = (first & ~std::uint64_t{127}) - (std::uint64_t{1} << 31);
  for (unsigned lane = 0; lane < 32; ++lane)
    request.where[lane] = static_cast<std::uint32_t>(addresses[lane] - request.base);
  return request;
}

/// Those of device memory count from its start.
WideLanes in_device_memory(WideLanes addresses) {
  for (std::uint64_t& one : addresses) one -= arena_low;
  return addresses;
}

InstructionCount& count_of(Launch& launch, const Context& it, AccessKind kind,
                           unsigned log2_width) {
  const auto number = static_cast<std::uintptr_t>(&it.word - launch.kernel.code.data()) + 1;
  return launch.counts[{reinterpret_cast<const void*>(number), kind, log2_width, 0}];
}

}  // namespace

Launch::Launch(const Kernel& of, const Configuration& configured)
    : kernel(of), configuration(configured) {
  std::vector<std::byte>& constants = banks[0];
  constants.resize(kernel.parameters_at + configuration.parameters.size() + most_before_parameters);
  const auto put = [&](unsigned at, std::uint32_t value) {
    std::memcpy(constants.data() + at, &value, 4);
  };
  for (unsigned i = 0; i < 3; ++i) {
    put(4 * i, configuration.block[i]);
    put(12 + 4 * i, configuration.grid[i]);
  }
  put(stack_top_at, stack_bytes);
  put(workspace_at, static_cast<std::uint32_t>(Overlay::workspace >> 32));
  put(workspace_at + 4, static_cast<std::uint32_t>(Overlay::workspace));
  const auto& cluster = configuration.cluster;
  put(cluster_at, cluster[0] * cluster[1] * cluster[2]);
  for (unsigned i = 0; i < 3; ++i) {
    put(cluster_at + 4 + 4 * i, cluster[i]);
    put(cluster_at + 16 + 4 * i, std::bit_cast<std::uint32_t>(1 / static_cast<float>(cluster[i])));
  }
  std::ranges::copy(configuration.parameters, constants.begin() + kernel.parameters_at);
}

std::uint32_t constant(const Warp& warp, unsigned bank, unsigned offset) {
  const auto& banks = warp.block.launch.banks;
  const auto found = banks.find(bank);
  if (found == banks.end() || offset + 4 > found->second.size())
    throw Unsupported{"constant " + std::to_string(offset) + " of bank " + std::to_string(bank)};
  const std::vector<std::byte>& constants = found->second;
  std::uint32_t value;
  std::memcpy(&value, constants.data() + offset, 4);
  return value;
}

void Launch::count(const Context& it, AccessKind kind, unsigned log2_width,
                   const WideLanes& addresses) {
  if (it.lanes == 0) {
    const bool has_predicate = kind == AccessKind::shared_load || kind == AccessKind::shared_store;
    if (has_predicate) count_of(*this, it, kind, log2_width).add_switched_off(1);
    return;
  }
  const unsigned width = 1u << log2_width;
  const bool in_shared = is_shared(kind);
  const Request request = request_of(it.lanes, in_shared ? addresses : in_device_memory(addresses));
  const Transfers transfers = kind == AccessKind::global_load || kind == AccessKind::global_store
                                  ? sectors(request, width)
                              : kind == AccessKind::shared_load || kind == AccessKind::shared_store
                                  ? wavefronts(request, width, kind == AccessKind::shared_load)
                                  : turns(request);
  count_of(*this, it, kind, log2_width).add(request, transfers, order);
}

void Launch::count_generic(const Context& it, AccessKind global, unsigned log2_width,
                           const WideLanes& offsets) {
  const AccessKind kind = global == AccessKind::global_load    ? AccessKind::shared_load
                          : global == AccessKind::global_store ? AccessKind::shared_store
                                                               : AccessKind::shared_atomic;
  count(it, kind, log2_width, offsets);
  if (kind != AccessKind::shared_atomic) count_of(*this, it, kind, log2_width).set_apart({});
}

void Launch::count_copy(const Context& it, unsigned log2_width, bool bypasses, unsigned copying,
                        const WideLanes& from, const WideLanes& to) {
  if (it.lanes == 0) return;
  InstructionCount& stores = count_of(*this, it, AccessKind::shared_store, log2_width);
  const unsigned width = 1u << log2_width;
  const Request whole = request_of(it.lanes, to);
  const auto add_store = [&](const Transfers& transfers) {
    stores.add(whole, transfers, order);
    stores.set_apart(transfers);
  };
  if (copying == 0) return add_store(wavefronts(whole, width, false));
  const Request source = request_of(copying, in_device_memory(from));
  const Request target = request_of(copying, to);
  count_of(*this, it, AccessKind::global_load, log2_width)
      .add(source, bypasses ? bypass_sectors(source, target) : sectors(source, width), order);
  add_store(bypasses ? bypass_turns(source, target) : copy_wavefronts(source, target, width));
}

void Launch::count_matrices(const Context& it, unsigned matrices, const WideLanes& rows) {
  if (it.lanes == 0) return;
  const unsigned naming = matrices == 4 ? all_lanes : (1u << 8 * matrices) - 1;
  const Request request = request_of(naming, rows);
  const Transfers transfers = wavefronts(request, 16, true);
  InstructionCount& count = count_of(*this, it, AccessKind::shared_load, 4);
  count.add(request, transfers, order);
  count.set_apart(transfers);
}

Execute execution(unsigned opcode) {
  static const auto all = [] {
    std::array<Execute, 512> table{};
    for (const Table* one :
         {&integer_operations(), &bit_operations(), &float_operations(), &half_operations(),
          &warp_operations(), &memory_operations(), &atomic_operations(), &matrix_operations()})
      for (const auto& [number, execute] : *one) table[number] = execute;
    return table;
  }();
  return all[opcode];
}

}  // namespace kata::emulator::machine
