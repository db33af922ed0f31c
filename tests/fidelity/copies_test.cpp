// Turns of asynchronous copies, as Nsight Compute counted them on an H200 (docs/fidelity.md has the
// command).
#include <doctest/doctest.h>

#include "fidelity/emulated.h"

using namespace kata;
using namespace kata::test;

namespace {

// In the order of copies.cu.
const std::vector<std::uint64_t> turns_of_4_bytes{1,  2,  4,  32, 1, 2,  4, 32, 1,
                                                  32, 32, 32, 4,  4, 11, 2, 2,  17};
const std::vector<std::uint64_t> turns_of_8_bytes{2, 4, 32, 32, 32};
const std::vector<std::uint64_t> turns_of_16_bytes{4, 32, 32, 32, 32, 4, 32, 32, 32, 32, 32, 4};

std::vector<std::uint64_t> turns_of_all() {
  std::vector<std::uint64_t> turns = turns_of_4_bytes;
  turns.insert(turns.end(), turns_of_8_bytes.begin(), turns_of_8_bytes.end());
  turns.insert(turns.end(), turns_of_16_bytes.begin(), turns_of_16_bytes.end());
  return turns;
}

}  // namespace

TEST_CASE("an asynchronous copy takes turns by the banks of both its ends") {
  const std::vector<std::uint64_t> turns = turns_of_all();
  for (const std::string compiler : {"g++", "clang++"}) {
    CAPTURE(compiler);
    const std::vector<KernelRecord> kernels = emulated("copies.cu", compiler);
    REQUIRE(kernels.size() == turns.size());
    for (std::size_t i = 0; i < turns.size(); ++i) {
      CAPTURE(i);
      CAPTURE(kernels[i].name);
      CHECK(kernels[i].shared_store.requests == 1);
      CHECK(kernels[i].shared_store.wavefronts == turns[i]);
      CHECK(kernels[i].global_load.requests == 1);
    }
  }
}
