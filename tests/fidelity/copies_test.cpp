// Asynchronous copies in the emulator beside what Nsight Compute counted on an H200.
//
// h200_copies.csv: copies.cu on an NVIDIA H200; docs/fidelity.md has the command.
#include <doctest/doctest.h>

#include "compilers.h"
#include "fidelity/emulated.h"
#include "fidelity/measured.h"

using namespace kata;
using namespace kata::test;

TEST_CASE("asynchronous copies take the sectors and the turns that an H200 counts") {
  const std::vector<Row> device = read_table("h200_copies.csv");
  REQUIRE(device.size() == 656);
  for (const std::string& compiler : kata::test::compilers()) {
    CAPTURE(compiler);
    const std::vector<KernelRecord> kernels = emulated("copies.cu", compiler);
    REQUIRE(kernels.size() == device.size());
    for (std::size_t i = 0; i < device.size(); ++i) {
      CAPTURE(i);
      CAPTURE(kernels[i].name);
      const Counters ours = counters_of(kernels[i]);
      for (const auto& one : counters_of(device[i])) {
        const std::string& counter = one.first;
        // ncu has four where the program has one: more with each copy, commit and wait.
        if (counter == "shared load instructions") continue;
        CAPTURE(counter);
        CHECK(ours.at(counter) == one.second);
      }
    }
  }
}
