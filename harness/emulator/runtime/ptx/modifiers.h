#pragma once
// The modifiers that handlers ask for. They are looked up by name when an instruction is parsed;
// its executions, which are many, look at bits.

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace kata::emulator::ptx {

// clang-format off
inline constexpr std::string_view modifier_words[] = {
    "1d", "2d", "3d", "4d", "5d", "L2::cache_hint", "NaN", "acq_rel", "acquire", "add", "aligned",
    "all", "and", "any", "arrive", "arrive_drop", "async", "ballot", "bfly", "bulk_group", "cas",
    "cg", "cluster", "col", "commit_group", "cta", "dec", "down", "eq", "equ", "exch", "expect_tx",
    "fence", "ftz", "geu", "global", "gt", "gtu", "hi", "inc", "l", "le", "leu", "lo", "local", "ls", "lt",
    "ltu", "m16n8k16", "m16n8k32", "m16n8k4", "m16n8k8", "max", "min", "mma_async",
    "multicast::cluster", "nan", "nc", "ne", "neu", "noinc", "num", "or", "parity", "relaxed", "release",
    "relu", "rmi", "rn", "rni", "row", "rpi", "rzi", "sat", "satfinite", "shared", "shared::cluster",
    "shiftamt", "sync", "sys", "to", "trans", "uni", "up", "v2", "v4", "volatile", "wait",
    "wait_all", "wait_group", "warp", "wide", "wrap", "x2", "x4", "xor"
};
// clang-format on

constexpr std::size_t modifier_number(std::string_view word) {
  const auto found = std::find(std::begin(modifier_words), std::end(modifier_words), word);
  return static_cast<std::size_t>(found - std::begin(modifier_words));
}

/// One of the list, as a handler writes it: another word does not compile.
struct Modifier {
  std::size_t number;

  consteval Modifier(const char* word) : number(modifier_number(word)) {
    if (number == std::size(modifier_words)) throw "the list has no such modifier";
  }
};

class Modifiers {
 public:
  /// A word that no handler asks for is forgotten.
  void add(std::string_view word) {
    const std::size_t number = modifier_number(word);
    if (number < bits_.size()) bits_.set(number);
  }
  bool has(Modifier modifier) const { return bits_[modifier.number]; }

 private:
  std::bitset<std::size(modifier_words)> bits_;
};

}  // namespace kata::emulator::ptx
