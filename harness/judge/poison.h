#pragma once
// What an output holds before the call, so that an element that is never written shows.

#include <cstdint>
#include <vector>

#include "problems/spec/array.h"

namespace kata {

/// Floats get a signalling NaN of our own: arithmetic on it sets the quiet bit, so these very bits
/// afterwards mean that nothing was written. Integers get 0xA5 bytes, which may also be a result:
/// an element that holds 0xA5 after one call and 0x5A after another was never written.
enum class Poison { first, second };

/// The pattern, repeated to four bytes. The same for both calls of a float.
std::uint32_t poison_word(Type type, Poison poison = Poison::first);

/// In a float.
inline constexpr std::uint32_t poison_bits = 0x7fa5a5a5;

/// Which elements hold exactly that pattern, ascending.
std::vector<std::int64_t> find_poison(const Array& output, Poison poison = Poison::first);

/// Whether an element is the poison of a float after arithmetic: a NaN with the quiet bit set.
bool is_poison_computed_with(const Array& output, std::size_t i);

}  // namespace kata
