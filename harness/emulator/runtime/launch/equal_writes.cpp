#include "emulator/runtime/launch/equal_writes.h"

#include <cstring>

namespace kata::emulator {
namespace {

std::uint32_t word_at(std::uintptr_t address) {
  std::uint32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address & ~std::uintptr_t{3}), sizeof value);
  return value;
}

}  // namespace

void EqualWrites::add(const Incident& race, std::uintptr_t address, IncidentLog& log) {
  if (!writes_.empty() && writes_.back().race.thread != race.thread) settle(log);
  writes_.push_back({race, address, word_at(address)});
}

void EqualWrites::settle(IncidentLog& log) {
  for (const Write& write : writes_) {
    if (word_at(write.address) != write.before) log.add(write.race);
  }
  writes_.clear();
}

}  // namespace kata::emulator
