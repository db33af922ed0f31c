// What the emulator counts beside what Nsight Compute counted on an H200, launch by launch.
//
// h200_patterns.csv: patterns.cu on an NVIDIA H200; docs/fidelity.md has the command.
#include <doctest/doctest.h>

#include "compilers.h"
#include "fidelity/emulated.h"
#include "fidelity/measured.h"

using namespace kata;
using namespace kata::test;

namespace {

std::vector<Counters> measured() {
  std::vector<Counters> launches;
  for (const Row& row : read_table("h200_patterns.csv")) launches.push_back(counters_of(row));
  return launches;
}

}  // namespace

TEST_CASE("the counters of 251 address patterns are those of an H200") {
  const std::vector<Counters> device = measured();
  REQUIRE(device.size() == 251);
  for (const std::string& compiler : kata::test::compilers()) {
    CAPTURE(compiler);
    const std::vector<KernelRecord> kernels = emulated("patterns.cu", compiler);
    REQUIRE(kernels.size() == device.size());
    for (std::size_t i = 0; i < device.size(); ++i) {
      CAPTURE(i);
      CAPTURE(kernels[i].name);
      for (const auto& one : counters_of(kernels[i])) {
        const std::string& counter = one.first;
        CAPTURE(counter);
        CHECK(one.second == device[i].at(counter));
      }
    }
  }
}
