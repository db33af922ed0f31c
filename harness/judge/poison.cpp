#include "judge/poison.h"

#include <cstring>

namespace kata {
namespace {

/// The element's bits, in the low bits.
template <class T>
std::uint32_t bits_of(T element) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &element, sizeof element);
  return bits;
}

/// As much of a repeated pattern as one element has.
std::uint32_t in_element(std::uint32_t word, Type type) {
  const std::size_t bits = 8 * size_of(type);
  return bits == 32 ? word : word & ((1u << bits) - 1);
}

}  // namespace

std::uint32_t poison_word(Type type, Poison poison) {
  switch (type) {
    case Type::f32:
      return poison_bits;
    case Type::f16:
      return 0x7da57da5;
    case Type::bf16:
      return 0x7fa57fa5;
    case Type::e4m3:
      return 0x7f7f7f7f;
    default:
      return poison == Poison::first ? 0xa5a5a5a5 : 0x5a5a5a5a;
  }
}

std::vector<std::int64_t> find_poison(const Array& output, Poison poison) {
  const std::uint32_t wanted = in_element(poison_word(output.type(), poison), output.type());
  std::vector<std::int64_t> found;
  output.visit([&]<class T>(std::span<const T> elements) {
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (bits_of(elements[i]) == wanted) found.push_back(static_cast<std::int64_t>(i));
  });
  return found;
}

bool is_poison_computed_with(const Array& output, std::size_t i) {
  if (!is_float(output.type())) return false;
  const std::uint32_t quiet_bit = output.type() == Type::f32   ? 1u << 22
                                  : output.type() == Type::f16 ? 1u << 9
                                                               : 1u << 6;
  const std::uint32_t word = poison_word(output.type());
  const std::uint32_t wanted = in_element(word, output.type()) | quiet_bit;
  return output.visit([&](auto elements) { return bits_of(elements[i]) == wanted; });
}

}  // namespace kata
