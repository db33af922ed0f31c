#pragma once
// The words of a range of memory, each with its shadow.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/shadow.h"
#include "emulator/runtime/memory/variables.h"

namespace kata::emulator {

/// The bytes of the word at `word` that lie in a range.
inline unsigned bytes_of_word(std::uintptr_t word, std::uintptr_t low, std::uintptr_t high) {
  const std::uintptr_t first = std::max(word, low), last = std::min(word + 4, high);
  return ((1u << (last - first)) - 1) << (first - word);
}

/// Calls f(shadow, address, bytes) for each word of a range of the arena, or of a variable, until
/// it says false.
template <class F>
void for_each_word(std::uintptr_t low, std::size_t bytes, F f) {
  if (bytes == 0) return;  // it may lie in no module
  const std::uintptr_t high = low + bytes;
  const auto* start = reinterpret_cast<const void*>(low);
  const ModuleVariables* variables = in_arena(start) ? nullptr : &ModuleVariables::beside(start);
  for (std::uintptr_t word = low & ~std::uintptr_t{3}; word < high; word += 4) {
    Shadow& shadow = variables ? variables->of(word) : *global_shadow(word - arena_low);
    if (!f(shadow, std::max(word, low), bytes_of_word(word, low, high))) return;
  }
}

}  // namespace kata::emulator
