// Requests, sectors and wavefronts that one can work out by hand.
#include <doctest/doctest.h>

#include "compilers.h"
#include "counted_fixture.h"
#include "emulator/runtime/count/wavefronts.h"

using namespace kata;
using namespace kata::emulator;

namespace {

struct Global {
  std::uint64_t requests, sectors, ideal;
};
struct Shared {
  std::uint64_t requests = 0, wavefronts = 0, conflicts = 0;
};
struct Expected {
  std::string kernel;
  Global load, store;
  Shared shared_load = {}, shared_store = {};
};

// A warp of 32 floats side by side: 1 request, 4 sectors.
const std::vector<Expected> expected{
    {"copy", {512, 2048, 2048}, {512, 2048, 2048}},
    {"every_second", {2, 16, 8}, {2, 8, 8}},
    {"off_by_one", {1, 5, 4}, {1, 4, 4}},
    {"one_for_all", {1, 1, 1}, {1, 4, 4}},
    {"half_a_warp", {1, 2, 2}, {1, 2, 2}},
    {"bytes", {1, 1, 1}, {1, 1, 1}},
    {"four_wide", {1, 16, 16}, {1, 16, 16}},
    {"transpose_naive", {2048, 8192, 8192}, {2048, 65536, 8192}},
    // A column of [32][32] lies in one bank; of [32][33] in 32.
    {"transpose_tile<0>",
     {2048, 8192, 8192},
     {2048, 8192, 8192},
     {2048, 65536, 63488},
     {2048, 2048, 0}},
    {"transpose_tile<1>", {2048, 8192, 8192}, {2048, 8192, 8192}, {2048, 2048, 0}, {2048, 2048, 0}},
    {"shared_broadcast", {0, 0, 0}, {1, 4, 4}, {1, 1, 0}, {1, 1, 0}},
    // 512 bytes at 128 a wavefront.
    {"shared_four_wide", {0, 0, 0}, {1, 16, 16}, {1, 4, 0}, {1, 4, 0}},
    {"shared_every_second", {0, 0, 0}, {1, 4, 4}, {1, 2, 1}, {1, 2, 1}},
    // Every second lane: all 4 sectors for 64 bytes.
    {"take_turns", {8, 32, 16}, {1, 4, 4}},
    // Of the inner loop 1 + 2 + 3 + 4 requests by 16 lanes, 4 + 8 + 12 + 8 sectors, and the 4 of
    // read() by all lanes.
    {"nested", {14, 48, 36}, {1, 4, 4}},
    // Iteration j by lanes j+1 to 31: 7 of 4 sectors, 8 each of 3, 2 and 1; the ideal is as many.
    {"triangle", {31, 76, 76}, {1, 4, 4}},
    // Iteration j by lanes j to 31, without the four lanes 4j to 4j+3 (never all of a sector).
    {"leave_early", {16, 56, 52}, {1, 4, 4}},
    // The branch that some lanes take in some iterations: no load is in it.
    {"new_maximum", {16, 64, 64}, {1, 4, 4}},
    // 16 odd lanes in the first call: iteration i by those above i, 1 sector; then 4 by all.
    {"calls", {35, 35, 35}, {1, 4, 4}},
    {"long_loop", {20000, 20000, 20000}, {2, 8, 8}},
    // A __device__ variable is global memory; __constant__ ones are not.
    {"variables", {1, 4, 4}, {2, 8, 8}},
    // 24 lanes read every second float of 48: 6 sectors.
    {"through_texture", {1, 6, 3}, {1, 4, 4}},
};

void check_global(const AccessCount& got, const Global& want) {
  CHECK(got.requests == want.requests);
  CHECK(got.sectors == want.sectors);
  CHECK(got.ideal_sectors == want.ideal);
}
void check_shared(const AccessCount& got, const Shared& want) {
  CHECK(got.requests == want.requests);
  CHECK(got.wavefronts == want.wavefronts);
  CHECK(got.conflicts == want.conflicts);
}

std::vector<KernelRecord> run_fixture(const std::string& compiler,
                                      const emulator::Options& options) {
  return test::run_counted("counters.cu", compiler, options);
}

}  // namespace

TEST_CASE("sectors and wavefronts are those that one can work out by hand") {
  for (const std::string& compiler : kata::test::compilers()) {
    for (const unsigned threads : {1u, 2u}) {
      const auto kernels = run_fixture(compiler, {.threads = threads, .count_requests = true});
      REQUIRE(kernels.size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(compiler);
        CAPTURE(expected[i].kernel);
        Global load = expected[i].load;
        // clang makes two jumps back of its `continue`: the first lane takes the one that reaches
        // further for an end of the loop (docs/counters.md).
        if (compiler == "clang++" && expected[i].kernel == "leave_early") ++load.sectors;
        check_global(kernels[i].global_load, load);
        check_global(kernels[i].global_store, expected[i].store);
        check_shared(kernels[i].shared_load, expected[i].shared_load);
        check_shared(kernels[i].shared_store, expected[i].shared_store);
      }
    }
  }
}

TEST_CASE("the order in which lanes and blocks run does not change what is counted") {
  using emulator::Schedule;
  for (const Schedule schedule : {Schedule::reverse, Schedule::random}) {
    const auto kernels =
        run_fixture("g++", {.schedule = schedule, .schedule_seed = 5, .count_requests = true});
    REQUIRE(kernels.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(expected[i].kernel);
      check_global(kernels[i].global_load, expected[i].load);
      check_shared(kernels[i].shared_load, expected[i].shared_load);
    }
  }
}

TEST_CASE("requests are counted where they are asked for and nowhere else") {
  for (const KernelRecord& kernel : run_fixture("g++", {})) {
    check_global(kernel.global_load, {0, 0, 0});
    check_shared(kernel.shared_store, {});
    CHECK(kernel.global_store.accesses > 0);
  }
}

TEST_CASE("a launch that ends in the middle leaves nothing for the next one") {
  using namespace kernels;
  const Fresh fresh;
  emulator::configure({.count_requests = true});
  float* x = device(std::vector<float>(1024, 1));
  launch({1, 1, 1}, {32, 1, 1}, [=] {
    load(x + threadIdx.x);
    if (threadIdx.x == 20) __tsan_read4(nullptr);
  });
  emulator::recover();
  emulator::take_findings();
  emulator::take_kernels();
  launch({1, 1, 1}, {32, 1, 1}, [=] { load(x + threadIdx.x * 2); });
  const auto records = emulator::take_kernels();
  REQUIRE(records.size() == 1);
  check_global(records[0].global_load, {1, 8, 4});
}

TEST_CASE("lanes that update one address take turns") {
  emulator::Request request{.lanes = ~0u};
  CHECK(emulator::turns(request).needed == 32);
  for (unsigned lane = 0; lane < 32; ++lane) request.where[lane] = lane % 4 * 4;
  CHECK(emulator::turns(request).needed == 8);
  for (unsigned lane = 0; lane < 32; ++lane) request.where[lane] = lane * 4;
  CHECK(emulator::turns(request).needed == 1);
  request.lanes = 1u << 31;
  CHECK(emulator::turns(request).needed == 1);
}

TEST_CASE("a column of a tile wants one bank, a padded one all of them") {
  emulator::Request request{.lanes = ~0u};
  const auto with_stride = [&](unsigned bytes) {
    for (unsigned lane = 0; lane < 32; ++lane) request.where[lane] = lane * bytes;
    return request;
  };
  CHECK(emulator::wavefronts(with_stride(128), 4, true).needed == 32);
  CHECK(emulator::wavefronts(with_stride(132), 4, true).needed == 1);
  CHECK(emulator::wavefronts(with_stride(0), 4, true).needed == 1);
  CHECK(emulator::wavefronts(with_stride(1), 1, true).needed == 1);
  CHECK(emulator::wavefronts(with_stride(8), 8, true).needed == 2);
  CHECK(emulator::wavefronts(with_stride(16), 16, false).needed == 4);
  CHECK(emulator::wavefronts(with_stride(128), 16, false).needed == 32);
  // All lanes read one float4: pairs that agree halve the wavefronts of loads, not of stores.
  CHECK(emulator::wavefronts(with_stride(0), 16, true).needed == 2);
  CHECK(emulator::wavefronts(with_stride(0), 16, false).needed == 4);
}
