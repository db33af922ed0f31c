// Counters of nvcc's machine code beside those of an H200, where nvcc is installed: of candidates
// that the emulator's own rules count otherwise.
#include <doctest/doctest.h>

#include "compile/registers.h"
#include "compile/toolchain.h"
#include "fidelity/comparison.h"
#include "own_cache.h"
#include "support/files.h"
#include "support/temporary_folder.h"

using namespace kata;
using namespace kata::test;

namespace {

/// A variable in a register, loads chosen by a condition, predicates: explained.h.
constexpr std::array candidates{"reduce_sum/double_accumulation", "reduce_max/unrolled_template",
                                "transpose/dynamic_shared", "softmax_rows/row_in_shared"};

/// Counts the runs' launches in nvcc's machine code, beside the table's. How many.
std::size_t check_launches(const std::vector<Run>& runs) {
  std::size_t launches = 0;
  for (const Run& run : runs) {
    CAPTURE(run.name());
    CAPTURE(run.size);
    const auto code = machine_code(run.folder / run.operator_name / (run.rung + ".cu"), "9.0");
    REQUIRE_MESSAGE(code, code.error().detail);
    const std::vector<KernelRecord> counted = emulated(run, entry_of(run), code->string());
    REQUIRE(counted.size() == run.launches.size());
    for (std::size_t i = 0; i < counted.size(); ++i, ++launches) {
      CAPTURE(i);
      CHECK(counted[i].by_rules == "");
      REQUIRE(counted[i].of_machine_code);
      const Counters device = counters_of(run.launches[i]);
      Counters here = counters_of(counted[i]);
      here["shared load instructions"] -= counted[i].shared_load.apart;
      for (const auto& [counter, on_device] : device) {
        CAPTURE(counter);
        CHECK(here.at(counter) == on_device);
      }
    }
  }
  return launches;
}

std::string relu(const std::string& place) {
  return R"(
__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[)" +
         place + R"(] = x[i] > 0 ? x[i] : 0;
}
extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
)";
}

}  // namespace

TEST_CASE("where nvcc is installed, its machine code has the counters of an H200") {
  use_own_cache();
  if (find_cuda_tool("nvcc").empty()) return;
  std::vector<Run> runs =
      measured_runs("h200_accepted.csv", fidelity_folder.parent_path() / "accepted");
  std::erase_if(runs, [](const Run& run) {
    return std::ranges::find(candidates, run.name()) == candidates.end();
  });
  CHECK(check_launches(runs) > 30);
}

TEST_CASE("clusters, a grid's barrier and wmma have an H200's counters in machine code") {
  use_own_cache();
  if (find_cuda_tool("nvcc").empty()) return;
  CHECK(check_launches(measured_runs("h200_machine.csv", fidelity_folder / "machine")) == 7);
}

TEST_CASE(
    "machine code counts a template whose pointers gain a const, and negative numbers as floats") {
  use_own_cache();
  if (find_cuda_tool("nvcc").empty()) return;
  const TemporaryFolder folder;
  const Run run{folder.path(), "relu", "here", "1000", {}};
  const std::filesystem::path file = run.folder / "relu" / "here.cu";
  REQUIRE(write_file(file, R"(
template <class T>
__global__ void relu_kernel(const T* x, T* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[static_cast<int>(static_cast<float>(i - n)) + n] = x[i] > 0 ? x[i] : 0;
}
extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 255) / 256, 256>>>(const_cast<float*>(x), y, n);
}
)")
              .empty());
  const auto code = machine_code(file, "9.0");
  REQUIRE_MESSAGE(code, code.error().detail);
  const std::vector<KernelRecord> counted = emulated(run, entry_of(run), code->string());
  REQUIRE(counted.size() == 1);
  CHECK(counted[0].by_rules == "");
  CHECK(counted[0].of_machine_code);
}

TEST_CASE(
    "machine code that stores elsewhere than the launch does not count, and the launch says so") {
  use_own_cache();
  if (find_cuda_tool("nvcc").empty()) return;
  const TemporaryFolder folder;
  const Run run{folder.path(), "relu", "here", "1000", {}};
  for (const auto& [name, place] : {std::pair{"here", "i"}, {"elsewhere", "i / 4"}})
    REQUIRE(write_file(run.folder / "relu" / (std::string(name) + ".cu"), relu(place)).empty());
  void* const entry = entry_of(run);
  for (const std::string name : {"here", "elsewhere"}) {
    CAPTURE(name);
    const auto code = machine_code(run.folder / "relu" / (name + ".cu"), "9.0");
    REQUIRE_MESSAGE(code, code.error().detail);
    const std::vector<KernelRecord> counted = emulated(run, entry, code->string());
    REQUIRE(counted.size() == 1);
    CHECK(counted[0].of_machine_code == (name == "here"));
    CHECK(counted[0].by_rules == (name == "here" ? "" : "its machine code stores elsewhere"));
    CHECK(counted[0].global_store.requests == 32);
  }
}
