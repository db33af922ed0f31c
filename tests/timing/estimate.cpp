#include "timing/estimate.h"

#include <doctest/doctest.h>

#include "timing/h200.h"
#include "timing/occupancy.h"

using namespace kata;

namespace {

/// A copy of 2^26 floats, one for each thread, by blocks of 256. One block was profiled.
LaunchProfile copy() {
  LaunchProfile profile;
  profile.counts.grid = {1u << 18, 1, 1};
  profile.counts.block = {256, 1, 1};
  profile.counts.global_load = {.requests = 8, .sectors = 32, .ideal_sectors = 32};
  profile.counts.global_store = {.requests = 8, .sectors = 32, .ideal_sectors = 32};
  profile.blocks_run = 1;
  profile.steps.far_loads = 1;
  profile.lines = 16;
  profile.re_reads = {224};  // 7 of 8 lanes find the sector that the first one fetched
  profile.first_reads = 32;
  profile.thread_accesses = 2;
  profile.touched = {{.buffer = 1 << 20, .bytes = 1 << 28, .read_sectors = 32},
                     {.buffer = 1 << 30, .bytes = 1 << 28, .written_sectors = 32}};
  return profile;
}

Limiters limiters_of(const LaunchProfile& profile, double operations = 0) {
  L2Contents l2(h200().l2_bytes);
  return estimate_launch(profile, operations, h200(), l2).limiters;
}

}  // namespace

TEST_CASE("a copy takes the time of its bytes") {
  const Limiters copied = limiters_of(copy());
  // 2^29 bytes at 0.95 of 4800 GB/s, and half of them, which are written, cost 0.1 more.
  CHECK(copied.memory * 1e6 == doctest::Approx(123.6).epsilon(0.001));
  CHECK(copied.atomics == 0);
  // 16 lines for each of 2^18 / 132 blocks, one a clock at 1980 MHz.
  CHECK(copied.l1 * 1e6 == doctest::Approx(16.05).epsilon(0.001));
  // 2^18 / (132 * 8) rounds of 620 + 150 ns.
  CHECK(copied.latency * 1e6 == doctest::Approx(191.1).epsilon(0.001));
}

TEST_CASE("blocks that loop over the data and write take longer than blocks that come in turn") {
  LaunchProfile profile = copy();
  const double in_turn = limiters_of(profile).memory;
  profile.counts.grid = {8 * 132, 1, 1};  // the same bytes by one wave of blocks
  for (Touched& one : profile.touched) {
    one.read_sectors *= (1u << 18) / (8 * 132);
    one.written_sectors *= (1u << 18) / (8 * 132);
  }
  CHECK(limiters_of(profile).memory / in_turn == doctest::Approx(1.15 / 1.05).epsilon(0.001));
  profile.touched.pop_back();  // reading alone is as fast either way
  const double reading = limiters_of(profile).memory;
  CHECK(reading * 1e6 == doctest::Approx((1 << 28) / (0.95 * 4800e3)).epsilon(0.002));
}

TEST_CASE("blocks on one multiprocessor fetch a vector that all of them read once") {
  LaunchProfile profile = copy();
  const double apart = limiters_of(profile).l2;
  // 32 sectors of the 2^23 of a matrix, or all 32 of a vector.
  profile.touched[0].bytes = 1024;
  const double together = limiters_of(profile).l2;
  const double stored = 32;
  CHECK(together / apart == doctest::Approx((32.0 / 8 + stored) / (32 + stored)).epsilon(0.001));
}

TEST_CASE("what bulk copies read does not count as loads past the L1, too") {
  LaunchProfile profile = copy();
  profile.counts.global_load = {};
  profile.bulk_sectors = 32;
  CHECK(limiters_of(profile).l2 == doctest::Approx(limiters_of(copy()).l2));
}

TEST_CASE("a load that is used an iteration later costs what the work in between does not hide") {
  LaunchProfile profile = copy();
  profile.counts.grid = {132, 1, 1};
  profile.steps = {.hidden_loads = 10};
  const double nothing_to_do = limiters_of(profile).latency;
  CHECK(nothing_to_do * 1e9 == doctest::Approx(10 * 620 + 150));
  profile.steps.shared_loads = 1000;  // of 30 clocks each
  const double busy = limiters_of(profile).latency;
  CHECK(busy * 1e9 == doctest::Approx(1000 * 30 / 1.98 + 150));
}

TEST_CASE("storing a tile costs time of its own where no other block fills the gap") {
  LaunchProfile profile = copy();
  profile.counts.shared_store = {.requests = 8, .wavefronts = 8};
  CHECK(limiters_of(profile).alone == 0);  // no barrier, so no gap
  profile.steps.barriers = 2;
  const double among_eight = limiters_of(profile).alone;
  CHECK(among_eight * 1980e6 == doctest::Approx(8.0 * (1 << 18) / 132 / 8));
  profile.registers = 255;  // room for one block
  CHECK(limiters_of(profile).alone == doctest::Approx(8 * among_eight));
  profile.async_copies = 8 * 32;
  CHECK(limiters_of(profile).alone == 0);
}

TEST_CASE("a product takes what tensor cores need for it, and longer by mma.sync than by wgmma") {
  LaunchProfile profile = copy();
  profile.counts.grid = {132, 1, 1};
  profile.wgmma.f16 = 1 << 30;
  const double by_wgmma = limiters_of(profile).tensor;
  CHECK(by_wgmma == doctest::Approx(132 * 2.0 * (1 << 30) / 989.4e12));
  profile.wgmma = {};
  profile.mma.f16 = 1 << 30;
  CHECK(limiters_of(profile).tensor == doctest::Approx(by_wgmma / 0.62));
  profile.mma = {.i8 = 1 << 30};
  CHECK(limiters_of(profile).tensor == doctest::Approx(by_wgmma / 0.62 / 2));
}

TEST_CASE("operations that tensor cores do leave none to the other units") {
  LaunchProfile profile = copy();
  profile.counts.global_load.bytes = 8 * 128;
  const Cost cost{.operations = 1e12, .unit = ArithmeticUnit::tensor_f16};
  const double without = estimate_launches({profile}, cost, h200())[0].limiters.arithmetic;
  CHECK(without * 1e3 == doctest::Approx(1e12 / 66.9e12 * 1e3).epsilon(0.01));
  profile.mma.f16 = static_cast<std::uint64_t>(1e12 / 2 / (1 << 18));  // of each block
  CHECK(estimate_launches({profile}, cost, h200())[0].limiters.arithmetic < 1e-4 * without);
}

TEST_CASE(
    "operations belong to the launches that load their operands, from device or shared memory") {
  LaunchProfile multiplies = copy();
  multiplies.counts.global_load = {};  // bulk copies fill shared memory
  multiplies.counts.shared_load = {.bytes = 300'000, .requests = 300};
  LaunchProfile merges = copy();
  merges.counts.global_load.bytes = 100'000;
  const Cost cost{.operations = 1e12};
  const auto launches = estimate_launches({multiplies, merges}, cost, h200());
  CHECK(launches[0].limiters.arithmetic ==
        doctest::Approx(3 * launches[1].limiters.arithmetic).epsilon(0.001));
}

TEST_CASE("a multiprocessor does one shuffle per clock, which is two instructions") {
  LaunchProfile profile = copy();
  const Limiters without = limiters_of(profile);
  profile.steps.warp_operations = 5;  // by each of 8 warps
  const Limiters with = limiters_of(profile);
  CHECK((with.l1 - without.l1) * 1980e6 == doctest::Approx(5.0 * 8 * (1 << 18) / 132));
  CHECK((with.issue - without.issue) * 1980e6 ==
        doctest::Approx(5.0 * 8 * 2 / 4 * (1 << 18) / 132));
  profile.steps.barriers = 1;  // the chain goes through several warps
  CHECK((limiters_of(profile).l1 - without.l1) * 1980e6 == doctest::Approx(5.0 * (1 << 18) / 132));
}

TEST_CASE("registers that are known limit how many blocks are resident") {
  LaunchProfile profile = copy();
  L2Contents l2(h200().l2_bytes);
  const LaunchEstimate assumed = estimate_launch(profile, 0, h200(), l2);
  profile.registers = 128;
  const LaunchEstimate counted = estimate_launch(profile, 0, h200(), l2);
  CHECK(assumed.occupancy == 1);
  CHECK(assumed.registers == 0);
  CHECK(counted.occupancy == 0.25);  // 65536 / 128 threads of 2048
  CHECK(counted.registers == 128);
  CHECK(counted.limiters.latency == doctest::Approx(4 * assumed.limiters.latency));
}

TEST_CASE("bank conflicts cost a clock for each wavefront") {
  LaunchProfile profile = copy();
  profile.counts.shared_load = {.requests = 8, .wavefronts = 8};
  const double without = limiters_of(profile).l1;
  profile.counts.shared_load.wavefronts = 8 * 32;
  const double with = limiters_of(profile).l1;
  CHECK((with - without) * 1980e6 == doctest::Approx(8.0 * 31 * (1 << 18) / 132));
  CHECK(largest(limiters_of(profile)) == "L1 and shared memory");
}

TEST_CASE("looking for lines overlaps with what shared memory moves") {
  LaunchProfile profile = copy();
  profile.lines = 100;  // of requests whose lanes are far apart
  const double looking = limiters_of(profile).l1;
  CHECK(looking * 1980e6 == doctest::Approx(100.0 * (1 << 18) / 132));
  profile.counts.shared_load = {.requests = 80, .wavefronts = 80};
  CHECK(limiters_of(profile).l1 == doctest::Approx(looking));
  profile.counts.shared_load.wavefronts = 200;  // and 64 sectors
  CHECK(limiters_of(profile).l1 / looking == doctest::Approx((200 + 64 / 4) / 100.0));
}

TEST_CASE("lanes of a request that share a sector ask the L2 for it once") {
  constexpr std::uint64_t sectors = 32'000;  // five times the L1
  LaunchProfile profile = copy();
  profile.counts.global_load = {.requests = 8'000, .sectors = sectors};
  profile.counts.global_store = {};
  profile.first_reads = sectors;
  profile.thread_accesses = 1 << 20;
  profile.re_reads = std::vector<std::uint64_t>(21);
  profile.re_reads[0] = 7 * sectors;
  const double once = limiters_of(profile).l2;
  profile.counts.global_load.sectors = 2 * sectors;
  profile.re_reads[20] = 8 * sectors;  // by all lanes, long after the L1 was full of other sectors
  CHECK(limiters_of(profile).l2 / once == doctest::Approx(2).epsilon(0.01));
}

TEST_CASE("one block that works longer than all the others together is waited for") {
  LaunchProfile profile = copy();
  const double alike = limiters_of(profile).latency;
  profile.longest.far_loads = 1'000'000;
  CHECK(limiters_of(profile).latency * 1e6 == doctest::Approx(620'000).epsilon(0.001));
  profile.longest.far_loads = 1;
  CHECK(limiters_of(profile).latency == doctest::Approx(alike));
}

TEST_CASE("atomics take the L1's time in shared memory, and the L2's for a partly filled sector") {
  LaunchProfile profile = copy();
  const Limiters without = limiters_of(profile);
  profile.shared_atomic_turns = 8;
  profile.global_atomic_sectors = 32;
  const Limiters with = limiters_of(profile);
  CHECK((with.l1 - without.l1) * 1980e6 == doctest::Approx(8.0 * (1 << 18) / 132));
  CHECK(with.l2 / without.l2 == doctest::Approx((32 + 32 + 2.4 * 32) / (32 + 32)));
}

TEST_CASE("atomics on one address come one after the other") {
  LaunchProfile profile = copy();
  profile.hottest_atomics = 256;
  profile.hottest_is_shared = true;
  profile.hottest_adds_floats = true;
  CHECK(limiters_of(profile).atomics == doctest::Approx(1.75e-9 * (1 << 26)));
  CHECK(largest(limiters_of(profile)) == "atomics");
  profile.hottest_is_shared = false;  // each block has an address of its own
  CHECK(limiters_of(profile).atomics == doctest::Approx(1.75e-9 * 256));
}

TEST_CASE("multiply-adds take the time of the datasheet's rate") {
  CHECK(limiters_of(copy(), 2.0 * 8192 * 8192 * 8192).arithmetic * 1e6 ==
        doctest::Approx(16435).epsilon(0.001));  // 1.0995e12 / 66.9 TFLOP/s
}

TEST_CASE("what a launch finds in the L2 it need not fetch") {
  L2Contents l2(100);
  const std::vector<Touched> one = {{.buffer = 1, .bytes = 60}},
                             two = {{.buffer = 2, .bytes = 150}};
  CHECK(l2.found(1, 60) == 0);
  l2.touch(one, 60);
  CHECK(l2.found(1, 60) == 60);
  l2.touch(two, 90);
  CHECK(l2.found(1, 60) == doctest::Approx(30));  // 150 touched since it was read, of 100
  l2.touch(two, 50);
  CHECK(l2.found(1, 60) == 0);
}

TEST_CASE("a call is its launches and what starts them") {
  const Estimate once = estimate({copy()}, {}, h200());
  const Estimate twice = estimate({copy(), copy()}, {}, h200());
  CHECK(once.limiter == "latency");
  CHECK(once.occupancy == 1);
  CHECK(twice.us == doctest::Approx(2 * once.us - 5 + 1));
}
