#pragma once
#pragma GCC system_header
// What a loop's call says of the loop, to the runtime too.

namespace __kata {

enum Comparison { less, less_equal, greater, greater_equal, not_equal };

enum Change { added, subtracted, multiplied, divided, shifted_left, shifted_right };

/// How nvcc unrolls a loop: its copies of the body, and these flags.
inline constexpr unsigned all_copies = 255;
inline constexpr unsigned rest_last = 256;  ///< the rest comes behind the copies, not before them
inline constexpr unsigned apart = 512;      ///< each copy is to be counted by itself

}  // namespace __kata
