#pragma once
// Lengths of the rows of a sparse matrix, or of segments, for Problem::arrange.

#include <cstdint>
#include <vector>

#include "problems/spec/random.h"

namespace kata {

using Lengths = std::vector<std::int64_t>;

/// Gives the parts, from the first on, as many of the `left` elements as they still have room for.
void fill_up(Lengths& lengths, std::int64_t left, std::int64_t most);

/// So many elements in `count` parts of at most `most`. The part of rank r has a length
/// proportional to r^-0.75, and ranks are in random order.
Lengths power_law(std::size_t count, std::int64_t elements, std::int64_t most,
                  const Random& random);

/// One less than a power of two from 32 to 2048, the power, and one more, in turn: kernels choose
/// another path for short parts than for long ones. `left` becomes what is left over.
Lengths near_powers_of_two(std::size_t count, std::int64_t& left, std::int64_t most);

}  // namespace kata
