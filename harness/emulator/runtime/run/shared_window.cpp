#include "emulator/runtime/run/shared_window.h"

#include "emulator/runtime/memory/shared_memory.h"
#include "emulator/runtime/run/cluster.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

constexpr unsigned rank_low = 24;  ///< bit at which the block's number begins
constexpr std::uint32_t descriptor_span = 1u << 18;
static_assert(dynamic_offset % descriptor_span == 0);

}  // namespace

std::uintptr_t from_shared_window(std::uint32_t address) {
  const std::uint32_t block = address >> rank_low;
  const std::uint32_t offset = address & ((1u << rank_low) - 1);
  if (block == 0) return running.shared_low + address;
  const Cluster* cluster = running.scheduler->block().cluster();
  if (offset >= shared_span || block > (cluster ? cluster->size() : 1)) return address;
  return (cluster ? cluster->block(block - 1).shared().low() : running.shared_low) + offset;
}

std::uint32_t to_shared_window(std::uintptr_t address) {
  const std::uintptr_t offset = address - running.shared_low;
  if (offset < shared_span) return static_cast<std::uint32_t>(offset);
  const Cluster* cluster = running.scheduler->block().cluster();
  Block* owner = cluster ? cluster->owner_of(address) : nullptr;
  if (!owner) return static_cast<std::uint32_t>(offset) | shared_span;
  return (cluster->rank_of(*owner) + 1) << rank_low |
         static_cast<std::uint32_t>(address - owner->shared().low());
}

std::uintptr_t from_descriptor_address(std::uint32_t low_bits) {
  const std::uintptr_t low = running.shared_low + low_bits % descriptor_span;
  const auto exists = [](std::uintptr_t address) {
    return *reinterpret_cast<const std::uint8_t*>(address + shared_span) != absent;
  };
  for (const std::uintptr_t offset : {dynamic_offset, std::size_t{0}, std::size_t{descriptor_span}})
    if (exists(low + offset)) return low + offset;
  return low + dynamic_offset;
}

Block* block_of_shared(std::uintptr_t address) {
  Block& mine = running.scheduler->block();
  if (address - mine.shared().low() < shared_span) return &mine;
  return mine.cluster() ? mine.cluster()->owner_of(address) : nullptr;
}

}  // namespace kata::emulator
