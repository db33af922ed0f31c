// Which accesses to shared memory are one, beside what nvcc made of the same kernels.
#include <doctest/doctest.h>

#include "compilers.h"
#include "fidelity/emulated.h"
#include "fidelity/measured.h"

using namespace kata;
using namespace kata::test;

TEST_CASE("neighbours in shared memory are one access where nvcc makes one of them") {
  const std::vector<Row> compiled = read_table("nvcc_merges.csv");
  REQUIRE(compiled.size() == 12);
  for (const std::string& compiler : kata::test::compilers()) {
    CAPTURE(compiler);
    const std::vector<KernelRecord> kernels = emulated("merges.cu", compiler);
    REQUIRE(kernels.size() == compiled.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const Row& row = compiled[i];
      CAPTURE(kernels[i].name);
      CHECK(kernels[i].name == row.at("kernel"));
      constexpr std::uint64_t threads = 256, warps = threads / 32;
      const AccessCount &load = kernels[i].shared_load, &store = kernels[i].shared_store;
      CHECK(load.requests == warps * std::stoull(row.at("loads")));
      CHECK(load.accesses == threads * std::stoull(row.at("loads")));
      CHECK(load.bytes == threads * std::stoull(row.at("load_bytes")));
      CHECK(store.requests == warps * std::stoull(row.at("stores")));
      CHECK(store.accesses == threads * std::stoull(row.at("stores")));
      CHECK(store.bytes == threads * std::stoull(row.at("store_bytes")));
    }
  }
}

// As Nsight Compute counts such loops on an H200 (2026-11-29): two loads of 16 bytes.
TEST_CASE("what the warps have left is loaded four sums at a time, by one thread and by all") {
  for (const std::string& compiler : kata::test::compilers()) {
    CAPTURE(compiler);
    const std::vector<KernelRecord> kernels = emulated("warp_sums.cu", compiler);
    REQUIRE(kernels.size() == 2);
    CHECK(kernels[0].shared_load.requests == 2);
    CHECK(kernels[0].shared_load.wavefronts == 2);
    CHECK(kernels[1].shared_load.requests == 2 * 8);
  }
}
