// What a profile says of a launch's traffic.
#include <doctest/doctest.h>

#include "emulator/runtime/launch/running.h"
#include "emulator/tests/runtime/expect_findings.h"

using namespace kernels;

namespace {

constexpr unsigned block_threads = 64;

/// The one buffer that a profiled launch of 4 blocks touches.
template <class Body>
kata::emulator::Touched touched_by(const Body& body) {
  kata::emulator::configure({.threads = 1, .count_requests = true, .profile = true});
  launch({4, 1, 1}, {block_threads, 1, 1}, body);
  const auto profiles = kata::emulator::take_profiles();
  REQUIRE(profiles.size() == 1);
  REQUIRE(profiles[0].touched.size() == 1);
  return profiles[0].touched[0];
}

}  // namespace

TEST_CASE("a kernel that works in place reads and writes every sector of its buffer") {
  const Fresh fresh;
  constexpr unsigned n = 4 * block_threads, sectors = n * sizeof(float) / 32;
  float* const x = device(std::vector<float>(n, 1));

  const auto scaled = touched_by([&] { store(x + global_id(), 2 * load(x + global_id())); });
  CHECK(scaled.read_sectors == sectors);
  CHECK(scaled.written_sectors == sectors);

  const auto filled = touched_by([&] { store(x + global_id(), 1.0f); });
  CHECK(filled.read_sectors == 0);
  CHECK(filled.written_sectors == sectors);

  // What the block itself has written is still in the cache.
  const auto read_back = touched_by([&] {
    store(x + global_id(), 1.0f);
    load(x + global_id());
    store(x + global_id(), 2.0f);
  });
  CHECK(read_back.read_sectors == 0);
  CHECK(read_back.written_sectors == sectors);
}

TEST_CASE("the longest chain is the one of the block that loops most") {
  const Fresh fresh;
  constexpr int n = 1 << 16;
  float* const x = device(std::vector<float>(n, 1));
  kata::emulator::configure({.threads = 1, .count_requests = true, .profile = true});
  launch({4, 1, 1}, {1, 1, 1}, [&] {
    const int loads = blockIdx.x == 3 ? 1600 : 16;
    for (int i = 0; i < loads; ++i) load(x + (blockIdx.x * 1600 + i) * 8);
  });
  const auto profiles = kata::emulator::take_profiles();
  REQUIRE(profiles.size() == 1);
  CHECK(profiles[0].longest.far_loads == 100);
  CHECK(profiles[0].steps.far_loads == 103);
}

TEST_CASE("loads of a loop that may be left at each iteration wait for each other") {
  const Fresh fresh;
  float* const x = device(std::vector<float>(64, 1));
  const auto far_loads = [&](bool leaves) {
    kata::emulator::configure({.threads = 1, .count_requests = true, .profile = true});
    launch({1, 1, 1}, {1, 1, 1}, [&] {
      for (int i = 0; i < 8; ++i) {
        if (leaves) __kata_iteration_alone(8 - i);
        load(x + i * 8);
      }
    });
    const auto profiles = kata::emulator::take_profiles();
    REQUIRE(profiles.size() == 1);
    return profiles[0].steps.far_loads;
  };
  CHECK(far_loads(false) == 1);
  CHECK(far_loads(true) == 8);
}

TEST_CASE("a profile counts neighbours in shared memory as one access, as ptxas makes them") {
  const Fresh fresh;
  kata::emulator::configure({.threads = 1, .count_requests = true, .profile = true});
  launch(
      {4, 1, 1}, {32, 1, 1},
      [] {
        auto* const mine = static_cast<float*>(__kata_dynamic_shared()) + 4 * threadIdx.x;
        for (int i = 0; i < 4; ++i) store(mine + i, 1.0f);
        load(mine);
        load(mine + 1);
        load(mine + 2);
        load(mine + 3);
      },
      32 * 16);
  const auto profiles = kata::emulator::take_profiles();
  REQUIRE(profiles.size() == 1);
  CHECK(profiles[0].counts.shared_load.requests == 4);
  CHECK(profiles[0].counts.shared_load.bytes == 4 * 32 * 16);
}

TEST_CASE("atomics count by where they are: turns in shared memory, sectors in device memory") {
  const Fresh fresh;
  constexpr int add = static_cast<int>(AtomicOp::add), u32 = static_cast<int>(AtomicType::u32);
  unsigned* const counts = device(std::vector<unsigned>(32, 0));
  kata::emulator::configure({.threads = 1, .count_requests = true, .profile = true});
  launch({4, 1, 1}, {32, 1, 1}, [&] { __kata_atomic(add, u32, counts + threadIdx.x / 2, 1, 0); });
  launch(
      {4, 1, 1}, {32, 1, 1},
      [&] {
        auto* const shared = static_cast<unsigned*>(__kata_dynamic_shared());
        __kata_atomic(add, u32, shared + threadIdx.x / 8, 1, 0);
      },
      128);
  const auto profiles = kata::emulator::take_profiles();
  REQUIRE(profiles.size() == 2);
  CHECK(profiles[0].global_atomic_sectors == 4 * 2);  // 16 integers
  CHECK(profiles[0].shared_atomic_turns == 0);
  CHECK(profiles[0].hottest_atomics == 4 * 2);
  CHECK(profiles[1].global_atomic_sectors == 0);
  CHECK(profiles[1].shared_atomic_turns == 4 * 8);
  CHECK(profiles[1].hottest_atomics == 0);
}

TEST_CASE("products of tensor cores are counted by what they multiply, once for each warp") {
  const Fresh fresh;
  kata::emulator::configure({.threads = 1, .count_requests = true, .profile = true});
  launch({4, 1, 1}, {block_threads, 1, 1}, [] {
    const float zero[16] = {};
    float sum[8];
    using kata::emulator::MatrixElement;
    const kata::emulator::MatrixProduct product{
        16,   16,   16,   8,   8, MatrixElement::f16, MatrixElement::f32, MatrixElement::f32,
        zero, zero, zero, sum, 0};
    for (int i = 0; i < 3; ++i) __kata_multiply_matrices(&product);
  });
  const auto profiles = kata::emulator::take_profiles();
  REQUIRE(profiles.size() == 1);
  constexpr std::uint64_t products = 3 * 4 * block_threads / 32;
  CHECK(profiles[0].mma.f16 == products * 16 * 16 * 16);
  CHECK(profiles[0].mma.i8 == 0);
  CHECK(profiles[0].wgmma.f16 == 0);
  CHECK(profiles[0].matrix_instructions == products);
  CHECK(profiles[0].steps.mma == 4 * 3 * 16 * 16 * 16);  // of a warp, for each block
  CHECK(profiles[0].steps.warp_operations == 0);         // they do not wait for each other
}

TEST_CASE("a profile says whether blocks look at what other blocks write") {
  const Fresh fresh;
  constexpr int add = static_cast<int>(AtomicOp::add), u32 = static_cast<int>(AtomicType::u32);
  const auto blocks_wait = [&](unsigned blocks, bool looks) {
    unsigned* const next = device(std::vector<unsigned>(1, 0));
    unsigned* const done = device(std::vector<unsigned>(blocks, 0));
    kata::emulator::configure({.threads = 1, .count_requests = true, .profile = true});
    launch({blocks, 1, 1}, {1, 1, 1}, [&] {
      const auto mine = static_cast<unsigned>(__kata_atomic(add, u32, next, 1, 0));
      if (looks && mine > 0) __tsan_volatile_read4(done + mine - 1);
      __kata_atomic(add, u32, done + mine, 1, 0);
    });
    const auto profiles = kata::emulator::take_profiles();
    REQUIRE(profiles.size() == 1);
    return profiles[0].counts.blocks_wait;
  };
  CHECK(blocks_wait(1000, true));
  CHECK_FALSE(blocks_wait(1000, false));  // a count of the blocks that are over, say
}

TEST_CASE("the first launch of a process is profiled in as many blocks as a later one") {
  const Fresh fresh;
  float* const x = device(std::vector<float>(block_threads, 1));
  const auto blocks_run = [&] {
    kata::emulator::configure(
        {.threads = 1, .count_requests = true, .profile = true, .profiled_accesses = 1 << 20});
    launch({4, 1, 1}, {block_threads, 1, 1}, [&] {
      __sanitizer_cov_trace_pc();
      load(x + threadIdx.x);
    });
    const auto profiles = kata::emulator::take_profiles();
    REQUIRE(profiles.size() == 1);
    return profiles[0].blocks_run;
  };
  kata::emulator::running.watched_blocks = 0;  // as a process begins
  CHECK(blocks_run() == 4);
  CHECK(blocks_run() == 4);
}
