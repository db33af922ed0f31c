#include "emulator/runtime/memory/shadow.h"

#include <atomic>

namespace kata::emulator {
namespace {

constexpr std::uint64_t most_numbers = std::uint64_t{1} << (64 - Mark::block_low);
std::atomic<std::uint64_t> next_block = 1;  ///< an untouched shadow holds 0
unsigned rounds = 0;

}  // namespace

std::uint64_t number_blocks(std::uint64_t blocks) {
  if (blocks > most_numbers - next_block) {
    next_block = 1;
    ++rounds;
    DeviceMemory::instance().clear_shadows();
  }
  return next_block.fetch_add(blocks);
}

unsigned number_rounds() {
  return rounds;
}

}  // namespace kata::emulator
