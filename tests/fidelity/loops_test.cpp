// Loops that nvcc unrolls, as tests/nvcc has seen: what the lanes of a warp ask for together.
#include <doctest/doctest.h>

#include "compilers.h"
#include "fidelity/emulated.h"

using namespace kata;
using namespace kata::test;

namespace {

struct Loads {
  std::uint64_t requests, sectors;
};

constexpr Loads in_step{6, 5 * 4 + 1};

/// Lanes 0 to 6 have 6 iterations, the others 5. In step, 5 times 4 sectors and one. With copies,
/// the rest of the division comes first: 2 iterations and 1 of 4 copies, 0 and 1 of 2. From then on
/// the lanes are an iteration apart, and need 5 sectors where they were side by side. Where the
/// counter starts at 0 the rest comes last, and the lanes stay in step (the PTX of nvcc 13.0.88).
Loads expected(const std::string& kernel) {
  for (const char* from_zero : {"unequal_by_four", "at_most_by_four", "unsigned_by_four"}) {
    if (kernel == from_zero) return in_step;
  }
  if (kernel == "shuffle_by_four") return {6, 24};  // as often in all lanes
  if (kernel.ends_with("_by_four")) return {6, 4 + 1 + 4 * 5};
  if (kernel.ends_with("_by_two")) return {7, 4 + 4 * 5 + 2 * 1};
  return in_step;
}

}  // namespace

TEST_CASE("lanes that have an iteration less leave the step of loops that nvcc unrolls") {
  for (const std::string& compiler : kata::test::compilers()) {
    CAPTURE(compiler);
    const std::vector<KernelRecord> kernels = emulated("loops.cu", compiler);
    CHECK(kernels.size() == 27);
    for (const KernelRecord& kernel : kernels) {
      CAPTURE(kernel.name);
      CHECK(kernel.global_load.requests == expected(kernel.name).requests);
      CHECK(kernel.global_load.sectors == expected(kernel.name).sectors);
    }
  }
}
