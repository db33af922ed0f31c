#pragma once
// The integer constants of a candidate's source, and what it compares with them.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "compile/sources.h"

namespace kata {

/// The value of a constant expression, with macros, constexpr variables and enumerators resolved.
struct SourceConstant {
  enum class Use { compared, remainder, other };
  Use use = Use::other;
  std::int64_t value = 0;
  std::int64_t modulus = 0;  ///< of a remainder: x % modulus == value
  /// The variables that are compared with it, or divided.
  std::set<std::string> names = {};

  auto operator<=>(const SourceConstant&) const = default;
};

std::set<SourceConstant> constants_of(const std::vector<SourceFile>& sources);

}  // namespace kata
