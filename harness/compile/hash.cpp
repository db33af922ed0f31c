#include "compile/hash.h"

namespace kata {

void Hash::byte(unsigned char value) {
  constexpr State prime = (static_cast<State>(1) << 88) | 0x13b;
  state_ = (state_ ^ value) * prime;
}

Hash& Hash::add(std::string_view text) {
  for (char c : text) byte(static_cast<unsigned char>(c));
  return add(text.size());
}

Hash& Hash::add(std::uint64_t number) {
  for (int i = 0; i < 8; ++i) byte(static_cast<unsigned char>(number >> (8 * i)));
  return *this;
}

std::string Hash::hex() const {
  std::string text;
  for (int shift = 124; shift >= 0; shift -= 4) {
    text += "0123456789abcdef"[static_cast<unsigned>(state_ >> shift) & 15];
  }
  return text;
}

}  // namespace kata
