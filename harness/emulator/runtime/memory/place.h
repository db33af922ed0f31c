#pragma once
#include <compare>

namespace kata::emulator {

/// A place in the candidate: the address of its code, or a file and line that it handed over.
struct Place {
  const void* code = nullptr;
  const char* file = nullptr;
  int line = 0;

  auto operator<=>(const Place&) const = default;
};

/// The place of a call, from the address that it returns to.
inline Place before(const void* return_address) {
  return {static_cast<const char*>(return_address) - 1, nullptr, 0};
}

}  // namespace kata::emulator
