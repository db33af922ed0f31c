#pragma once
// The words of a range of memory, each with its shadow.

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

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

/// The same of the words whose shadows may hold a mark: pages that nothing has touched stay so.
template <class F>
void for_each_marked_word(std::uintptr_t low, std::size_t bytes, F f) {
  constexpr std::size_t page = 4096, words_bytes = page / shadow_per_byte;
  constexpr std::size_t few = 1 << 16, at_once = 1 << 20;
  if (bytes < few || !in_arena(reinterpret_cast<const void*>(low)))
    return for_each_word(low, bytes, f);
  bool goes_on = true;
  const auto visit = [&](Shadow& shadow, std::uintptr_t address, unsigned touched) {
    return goes_on = f(shadow, address, touched);
  };
  std::vector<unsigned char> is_resident(at_once / words_bytes);
  const std::uintptr_t high = low + bytes;
  while (goes_on && low < high) {
    const std::uintptr_t first = low / words_bytes * words_bytes;
    const std::size_t pages =
        std::min(is_resident.size(), (high - first + words_bytes - 1) / words_bytes);
    auto* const shadow = reinterpret_cast<char*>(global_shadow(first - arena_low));
    if (mincore(shadow, pages * page, is_resident.data()) != 0) std::ranges::fill(is_resident, 1);
    for (std::size_t i = 0; goes_on && i < pages; ++i) {
      const std::uintptr_t begin = std::max(low, first + i * words_bytes);
      const std::uintptr_t end = std::min(high, first + (i + 1) * words_bytes);
      if (is_resident[i] & 1) for_each_word(begin, end - begin, visit);
    }
    low = first + pages * words_bytes;
  }
}

}  // namespace kata::emulator
