#include "emulator/runtime/machine/memory.h"

namespace kata::emulator::machine {
namespace {

std::int32_t word_at(const std::byte* bytes) {
  std::int32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

bool is_small(std::int32_t word) {
  return word >= 0 && word < 1 << 20;
}

}  // namespace

Differences Overlay::differences(bool all) const {
  Differences found;
  for (const auto& [number, page] : copies_) {
    if (number == workspace / page_bytes) continue;
    const auto* const left = reinterpret_cast<const std::byte*>(number * page_bytes);
    // Beside the module's variables are others, which host code writes.
    const bool sees_all = all && in_arena(left);
    for (std::size_t at = 0; at < page_bytes; at += sizeof(std::int32_t)) {
      const std::int32_t before = word_at(page->before.data() + at), now = word_at(left + at),
                         mine = word_at(page->now.data() + at);
      if (mine == before && (now == before || !sees_all)) continue;
      ++found.changed;
      if ((mine == before) != (now == before)) {
        ++found.elsewhere;
      } else if (is_small(mine) && is_small(now)) {
        ++found.integers;
        found.unequal += mine != now;
      }
    }
  }
  return found;
}

}  // namespace kata::emulator::machine
