// One target under libFuzzer: KATA_FUZZ_TARGET is its function. tests/CMakeLists.txt builds one
// program for each.

#include <cstddef>
#include <cstdint>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  kata::fuzz::KATA_FUZZ_TARGET({reinterpret_cast<const char*>(data), bytes});
  return 0;
}
