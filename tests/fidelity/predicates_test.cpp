// Shared instructions under conditions that are false in all lanes of seven of eight warps.
#include <doctest/doctest.h>

#include <array>

#include "compilers.h"
#include "fidelity/emulated.h"

using namespace kata;
using namespace kata::test;

// By the machine code of nvcc 13.0.88 for sm_90a, and by what ncu counts of such statements
// (h200_ladder.csv: reduce_sum, transpose).
TEST_CASE("what nvcc predicates counts in every warp, and what it branches round in one") {
  struct Expected {
    const char* kernel;
    std::uint64_t loads, stores;
  };
  constexpr std::uint64_t warps = 8;
  constexpr std::array<Expected, 6> expected{{{"tree_step", 3 * warps, 2 * warps},
                                              {"long_statement", warps + 1, warps + 1},
                                              {"load_or_zero", warps, warps},
                                              {"either_store", warps, 2 * warps},
                                              {"one_store_in_a_loop", warps, warps},
                                              {"last_statement", 1, warps}}};
  for (const std::string& compiler : kata::test::compilers()) {
    CAPTURE(compiler);
    const std::vector<KernelRecord> kernels = emulated("predicates.cu", compiler);
    REQUIRE(kernels.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(expected[i].kernel);
      CHECK(kernels[i].name == expected[i].kernel);
      CHECK(kernels[i].shared_load.requests == expected[i].loads);
      CHECK(kernels[i].shared_store.requests == expected[i].stores);
    }
  }
}
