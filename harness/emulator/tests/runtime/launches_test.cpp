#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

#include "emulator/tests/runtime/expect_findings.h"

using namespace kernels;
using kata::emulator::take_findings;

TEST_CASE("where launches alone are looked at, a call ends at what only kernels could tell") {
  const Fresh fresh;
  int* const input = device(std::vector{3});
  int* const result = device<int>(1);
  kata::emulator::configure({.launches_only = true});
  CHECK_NOTHROW(host(input, 1));
  CHECK_THROWS(host(result, 1));
  const auto copy = [&] { cudaMemcpy(result, input, sizeof *input, cudaMemcpyDeviceToDevice); };
  const auto copy_often = [&](int times) {
    for (int i = 0; i < times; ++i) copy();
  };
  kata::emulator::configure({.launches_only = true});
  CHECK_NOTHROW(copy_often(10'000));
  CHECK_THROWS(copy());
  kata::emulator::configure({});
  CHECK_NOTHROW(copy_often(10'001));
}

namespace {

/// A buffer of this program's own, as the judge's are.
float* own_buffer(std::size_t count) {
  void* pointer = nullptr;
  __kata_malloc(&pointer, count * sizeof(float), 0, "", 0);
  kata::emulator::poison(pointer, count * sizeof(float), 0x7fa5a5a5);
  return static_cast<float*>(pointer);
}

}  // namespace

TEST_CASE("of a launch that is too large some blocks run, the first and the last among them") {
  const Fresh fresh;
  constexpr unsigned blocks = 1 << 22, threads = 32;
  constexpr std::size_t count = std::size_t{blocks} * threads;
  float* const y = own_buffer(count);
  kata::emulator::configure({.sampled_blocks = 4});
  const auto write = [=](std::size_t past) {
    launch({blocks, 1, 1}, {threads, 1, 1}, [=] { store(y + global_id() + past, 1.0f); });
  };
  SUBCASE("what they wrote is known, and how much one of them wrote") {
    write(0);
    const kata::emulator::Sample sample = kata::emulator::take_sample();
    CHECK(sample.is_final);
    CHECK(sample.blocks == blocks);
    CHECK(sample.most_bytes == threads * sizeof(float));
    REQUIRE(sample.pages.size() == 5);
    CHECK(sample.pages.front() == y);
    CHECK(sample.pages.back() == y + count - 1024);
    CHECK(y[count - 1] == 1.0f);
    CHECK(take_findings().empty());
  }
  SUBCASE("an access of the last one past the end is a finding") {
    write(1);
    const std::vector<Finding> findings = take_findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == FindingKind::out_of_bounds);
  }
  SUBCASE("a block ends early where it reads what another one would have written") {
    write(0);
    launch({1, 1, 1}, {1, 1, 1}, [=] { store(y + static_cast<int>(load(y + 64)) - 1, 2.0f); });
    CHECK_FALSE(kata::emulator::take_sample().is_final);
    CHECK(take_findings().empty());
  }
  SUBCASE("host code that would read it goes no further, nor an endless call") {
    write(0);
    CHECK_THROWS(host(y + 64, 1));
    CHECK_THROWS([&] {
      for (;;) write(0);
    }());
  }
  const auto spin = [=](unsigned grid, unsigned block) {
    launch({grid, 1, 1}, {block, 1, 1}, [=] {
      store(y + global_id(), 1.0f);
      for (volatile float* flag = y + 77;;) {
        __tsan_volatile_read4(const_cast<float*>(flag));
        if (*flag == 3.0f) break;
      }
    });
    CHECK_FALSE(kata::emulator::take_sample().is_final);
    return std::ranges::count(take_findings(), FindingKind::deadlock, &Finding::kind);
  };
  SUBCASE("a block that spins for another one is no deadlock where all fit on the device") {
    CHECK(spin(260, 1024) == 0);
  }
  SUBCASE("a block that spins for another one, which need not have begun, is a deadlock") {
    CHECK(spin(blocks, 1) == 1);
  }
  cudaFree(y);
}

TEST_CASE(
    "a small launch of a sample runs whole, so that a large one after it goes by the result") {
  const Fresh fresh;
  constexpr unsigned blocks = 256, threads = 32, large = 1 << 22;
  float* const x = own_buffer(blocks * threads);
  float* const y = own_buffer(std::size_t{large} * threads);
  kata::emulator::configure({.sampled_blocks = 4});
  const auto prepare = [=](unsigned times) {
    launch({blocks, 1, 1}, {threads, 1, 1}, [=] {
      for (unsigned i = 0; i < times; ++i) store(x + global_id(), -1.0f);
    });
  };
  const auto use = [=] {
    launch({large, 1, 1}, {threads, 1, 1},
           [=] { store(y + static_cast<int>(load(x + global_id() % (blocks * threads))), 1.0f); });
  };
  SUBCASE("a wrong index that it computes is found") {
    prepare(1);
    use();
    REQUIRE(!take_findings().empty());
  }
  SUBCASE("unless that would take long") {
    prepare(1 << 12);
    use();
    CHECK(take_findings().empty());
  }
  cudaFree(x);
  cudaFree(y);
}

TEST_CASE("a wrong launch names the limit that it breaks") {
  const Fresh fresh;
  struct Row {
    Triple grid, block;
    std::size_t shared_bytes;
    int cooperative, error;
    const char* message;
  };
  const Row rows[] = {
      {{1, 1, 1}, {2048, 1, 1}, 0, 0, 9, "2048 threads; the limit is 1024"},
      {{1, 1, 1}, {32, 32, 2}, 0, 0, 9, "2048 threads; the limit is 1024"},
      {{1, 1, 1}, {1, 1, 65}, 0, 0, 9, "the block.z is 65; the limit is 64"},
      {{0, 1, 1}, {32, 1, 1}, 0, 0, 9, "the grid.x is 0"},
      {{1, 65536, 1}, {32, 1, 1}, 0, 0, 9, "the grid.y is 65536; the limit is 65535"},
      {{1, 1, 1}, {0, 1, 1}, 0, 0, 9, "the block.x is 0"},
      {{1, 1, 1}, {32, 1, 1}, 49153, 0, 1, "cudaFuncSetAttribute"},
      {{1, 1, 1}, {32, 1, 1}, 300000, 0, 1, "a block of this device has 232448"},
      {{132 * 2 + 1, 1, 1}, {1024, 1, 1}, 0, 1, 720, "at most 264"},
  };
  for (const Row& row : rows) {
    bool ran = false;
    launch(
        row.grid, row.block, [&] { ran = true; }, row.shared_bytes, row.cooperative);
    const Finding finding = only_finding();
    CHECK(finding.kind == FindingKind::invalid_launch);
    CHECK(contains(finding.message, row.message));
    CHECK(cudaPeekAtLastError() == row.error);
    CHECK(cudaGetLastError() == row.error);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK_FALSE(ran);
  }
  CHECK(kata::emulator::take_kernels().empty());
}

TEST_CASE("more dynamic shared memory may be asked for, up to the device's limit") {
  const Fresh fresh;
  const auto body = [] { store(static_cast<float*>(__kata_dynamic_shared()) + 25'599, 1.0f); };
  const auto* function = reinterpret_cast<const void*>(&body);
  CHECK(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, 102'400) ==
        cudaSuccess);
  launch({1, 1, 1}, {1, 1, 1}, body, 102'400);
  CHECK(kata::emulator::take_findings().empty());
  CHECK(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, 232'449) ==
        cudaErrorInvalidValue);
  CHECK(only_finding().kind == FindingKind::cuda_error);
}

TEST_CASE("dynamic shared memory that was asked for may lie beside much static one") {
  const Fresh fresh;
  static SharedSlot slot{40'000, 4, "tile", 44, 0, 0};
  const auto body = [] { __kata_shared(&slot); };
  const auto* function = reinterpret_cast<const void*>(&body);
  CHECK(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, 20'000) ==
        cudaSuccess);
  launch({1, 1, 1}, {1, 1, 1}, body, 20'000);
  CHECK(kata::emulator::take_findings().empty());
  launch({1, 1, 1}, {1, 1, 1}, body, 20'001);
  CHECK(only_finding().kind == FindingKind::invalid_launch);
}

TEST_CASE("static and dynamic shared memory count together") {
  const Fresh fresh;
  static SharedSlot slot{40'000, 4, "tile", 44, 0, 0};
  launch(
      {1, 1, 1}, {1, 1, 1}, [] { __kata_shared(&slot); }, 9'153);
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::invalid_launch);
  CHECK(finding.line == 44);
  CHECK(contains(finding.message, "49153 bytes"));
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  launch(
      {1, 1, 1}, {1, 1, 1}, [] { __kata_shared(&slot); }, 9'152);
  CHECK(kata::emulator::take_findings().empty());
}

TEST_CASE("grid.sync() without a cooperative launch, or without every block, cannot work") {
  {
    const Fresh fresh;
    launch({2, 1, 1}, {32, 1, 1}, [] { __kata_grid_sync(); });
    CHECK(only_finding().kind == FindingKind::invalid_launch);
  }
  const Fresh fresh;
  launch(
      {4, 1, 1}, {32, 1, 1},
      [] {
        if (blockIdx.x > 0) __kata_grid_sync();
      },
      0, 1);
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::deadlock);
  CHECK(contains(finding.message, "1 block of the grid returned"));
}

TEST_CASE("requests of a large launch are counted in some blocks, and scaled to all") {
  const Fresh fresh;
  float* const x = device<float>(1000 * 32);
  const auto counted = [&](std::uint64_t counted_accesses) {
    kata::emulator::configure(
        {.threads = 2, .count_requests = true, .counted_accesses = counted_accesses});
    launch({1000, 1, 1}, {32, 1, 1}, [&] { store(x + global_id(), 1.0f); });
    return kata::emulator::take_kernels().at(0);
  };
  const KernelRecord all = counted(32'000), some = counted(4'000);
  CHECK(all.counted_blocks == 1000);
  CHECK(some.counted_blocks > 100);
  CHECK(some.counted_blocks < 200);
  for (const KernelRecord& record : {all, some}) {
    CHECK(record.global_store.accesses == 32'000);
    CHECK(record.global_store.requests == 1000);
    CHECK(record.global_store.sectors == 4000);
    CHECK(record.global_store.ideal_sectors == 4000);
  }
}

TEST_CASE("a block whose requests are not counted is checked like all others") {
  const Fresh fresh;
  float* const x = device<float>(999 * 32);
  kata::emulator::configure({.threads = 1, .count_requests = true, .counted_accesses = 32});
  launch({1000, 1, 1}, {32, 1, 1}, [&] { store(x + global_id(), 1.0f); });
  CHECK(only_finding().kind == FindingKind::out_of_bounds);
  CHECK(kata::emulator::take_kernels().at(0).counted_blocks < 20);
}

namespace {

/// Each block's thread writes to an element of its own, and `of_neighbour` to the next one's.
KernelRecord write_beside(float* x, bool of_neighbour) {
  launch({4000, 1, 1}, {32, 1, 1}, [&] {
    store(x + global_id(), 1.0f);
    if (of_neighbour) store(x + (global_id() + 32) % (4000 * 32), 1.0f);
  });
  return kata::emulator::take_kernels().at(0);
}

}  // namespace

TEST_CASE("races of a large launch are looked for in some blocks, fewer in later launches") {
  const Fresh fresh;
  float* const x = device<float>(4000 * 32);
  kata::emulator::configure({.threads = 2, .marked_accesses = 16'000});
  const KernelRecord first = write_beside(x, false), second = write_beside(x, false);
  CHECK(first.unmarked_blocks > 3200);
  CHECK(first.unmarked_blocks < 3700);
  CHECK(second.unmarked_blocks > first.unmarked_blocks + 200);
  CHECK(kata::emulator::take_findings().empty());
  write_beside(x, true);
  CHECK(only_finding().kind == FindingKind::race);
  kata::emulator::configure({.threads = 2, .marked_accesses = 256'000});
  CHECK(write_beside(x, false).unmarked_blocks == 0);
}

TEST_CASE("a block that is not looked at for races is checked for all else") {
  const Fresh fresh;
  float *const x = device<float>(4000 * 32), *const y = device<float>(4000 * 32);
  kata::emulator::configure({.threads = 1, .marked_accesses = 1});
  launch({4000, 1, 1}, {32, 1, 1}, [&] {
    if (blockIdx.x != 2000) store(x + global_id(), 1.0f);
    if (blockIdx.x == 1000) store(x + 4000 * 32 + threadIdx.x, 1.0f);
  });
  CHECK(only_finding().kind == FindingKind::out_of_bounds);
  launch({4000, 1, 1}, {32, 1, 1}, [&] { store(y + global_id(), load(x + global_id())); });
  CHECK(only_finding().kind == FindingKind::uninitialized);
}

TEST_CASE("what atomics and fences order is known through blocks that leave no marks") {
  const Fresh fresh;
  constexpr unsigned blocks = 1000;
  int* const y = device<int>(blocks);
  int* const flags = device(std::vector<int>(blocks));
  kata::emulator::configure({.threads = 1, .marked_accesses = blocks / 2});
  const auto add = [](int* to, unsigned value) {
    return __kata_atomic(static_cast<int>(AtomicOp::add), static_cast<int>(AtomicType::i32), to,
                         value, 0);
  };
  const auto pass_on = [&](bool waits) {
    launch({blocks, 1, 1}, {1, 1, 1}, [&] {
      const unsigned mine = blockIdx.x;
      if (waits && mine > 0 && add(flags + mine - 1, 0) == 0) return;
      if (waits) __kata_fence(1);
      if (mine >= 2) load(y + mine - 2);
      store(y + mine, 1);
      __kata_fence(1);
      add(flags + mine, 1);
    });
    return kata::emulator::take_kernels().at(0).unmarked_blocks;
  };
  CHECK(pass_on(true) > blocks / 2);
  CHECK(kata::emulator::take_findings().empty());
  pass_on(false);
  CHECK(only_finding().kind == FindingKind::race);
}

TEST_CASE("a kernel that still runs after a while is reported once, with its finished blocks") {
  const Fresh fresh;
  static std::vector<kata::emulator::LaunchProgress> reports;
  reports.clear();
  kata::emulator::configure(
      {.is_slow =
           [](const kata::emulator::LaunchProgress& progress) { reports.push_back(progress); },
       .slow_after_s = 0});
  for (int i = 0; i < 2; ++i) launch({5, 1, 1}, {32, 1, 1}, [] {});
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].blocks == 5);
  CHECK(reports[0].of_blocks == 5);
}

TEST_CASE("of a slow kernel it is known whether its blocks come to their end") {
  static std::atomic<int> reports, stuck;
  const auto stuck_of = [](unsigned blocks, bool ends) {
    const Fresh fresh;
    reports = stuck = 0;
    float* const x = device<float>(32);
    kata::emulator::configure({.threads = 1,
                               .is_slow =
                                   [](const kata::emulator::LaunchProgress& progress) {
                                     ++reports;
                                     stuck += progress.is_stuck;
                                   },
                               .slow_after_s = 0.4});
    launch({blocks, 1, 1}, {1, 1, 1}, [&] {
      for (int i = 0; i < 100'000 || !ends; ++i) {
        if (reports > 0) return;
        store(x, 1.0f);
      }
    });
    CHECK(reports.load() == 1);
    return stuck == 1;
  };
  CHECK(stuck_of(1, false));
  CHECK_FALSE(stuck_of(100'000, true));
}
