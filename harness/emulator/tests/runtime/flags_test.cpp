// What a thread that has read another block's flag is taken to know.
#include <doctest/doctest.h>

#include "emulator/runtime/launch/order.h"

using namespace kata::emulator;

namespace {

const void* line(int number) {
  static const char code[16] = {};
  return code + number;
}

Mark mark_of(std::uint64_t block, std::uint64_t clock) {
  return {block << Mark::block_low | clock << Mark::clock_low,
          Mark::what_of(line(0), Mark::one, Mark::is_volatile, 15)};
}

std::uint64_t tagged(std::uint64_t tag, std::uint64_t value) {
  return tag << 32 | value;
}

}  // namespace

TEST_CASE("two words with one tag are no race, though one is written while it is read") {
  std::uint64_t value = tagged(5, 17), flag = 0;
  const auto at = [](const std::uint64_t& word) {
    return Word::at(reinterpret_cast<std::uintptr_t>(&word), 8);
  };
  BlockOrder order;
  order.begin(1, 32, 1, 1);
  order.pass(0, mark_of(0, 2), line(1), at(flag));
  CHECK(order.has_passed(mark_of(0, 1), 0, line(2), at(value)));
  flag = tagged(5, 4);
  CHECK_FALSE(order.has_passed(mark_of(0, 1), 0, line(2), at(value)));
}
