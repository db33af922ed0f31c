// Counters of nvcc's machine code beside those of an H200, where nvcc is installed: of candidates
// that the emulator's own rules count otherwise.
#include <doctest/doctest.h>

#include "compile/registers.h"
#include "compile/toolchain.h"
#include "fidelity/comparison.h"
#include "own_cache.h"

using namespace kata;
using namespace kata::test;

namespace {

/// A variable in a register, loads chosen by a condition, predicates: explained.h.
constexpr std::array candidates{"reduce_sum/double_accumulation", "reduce_max/unrolled_template",
                                "transpose/dynamic_shared", "softmax_rows/row_in_shared"};

}  // namespace

TEST_CASE("where nvcc is installed, its machine code has the counters of an H200") {
  use_own_cache();
  if (find_cuda_tool("nvcc").empty()) return;
  const auto folder = fidelity_folder.parent_path() / "accepted";
  std::size_t launches = 0;
  for (const Run& run : measured_runs("h200_accepted.csv", folder)) {
    if (std::ranges::find(candidates, run.name()) == candidates.end()) continue;
    CAPTURE(run.name());
    CAPTURE(run.size);
    const auto code = machine_code(folder / run.operator_name / (run.rung + ".cu"), "9.0");
    REQUIRE_MESSAGE(code, code.error().detail);
    const std::vector<KernelRecord> counted = emulated(run, entry_of(run), code->string());
    REQUIRE(counted.size() == run.launches.size());
    for (std::size_t i = 0; i < counted.size(); ++i, ++launches) {
      CAPTURE(i);
      REQUIRE(counted[i].of_machine_code);
      const Counters device = counters_of(run.launches[i]), here = counters_of(counted[i]);
      for (const auto& [counter, on_device] : device) {
        CAPTURE(counter);
        CHECK(here.at(counter) == on_device);
      }
    }
  }
  CHECK(launches > 30);
}
