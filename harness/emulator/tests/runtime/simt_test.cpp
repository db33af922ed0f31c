#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "emulator/runtime/count/lanes.h"
#include "emulator/tests/runtime/kernels.h"

using namespace kernels;

namespace {

unsigned* counters(std::size_t count) {
  return device(std::vector<unsigned>(count, 0));
}

unsigned add(unsigned* address, unsigned value) {
  return static_cast<unsigned>(__kata_atomic(static_cast<int>(AtomicOp::add),
                                             static_cast<int>(AtomicType::u32), address, value, 0));
}

}  // namespace

TEST_CASE("every thread of a three-dimensional grid runs once, with its own indices") {
  const Fresh fresh;
  const Triple grid{3, 2, 2}, block{5, 3, 2};
  auto* seen = counters(3 * 2 * 2 * 30);
  launch(grid, block, [=] {
    const unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    add(seen + b * 30 + thread_id(), 1 + blockDim.z * 10 + gridDim.y * 100);
  });
  CHECK(host(seen, 360) == std::vector<unsigned>(360, 221));
}

TEST_CASE("a seed gives the same order of lanes in every version") {
  using kata::emulator::Schedule;
  static std::uint64_t order;
  const auto runs = [] { order = (order ^ thread_id()) * 0x9e3779b97f4a7c15u; };
  const auto order_of = [&](Schedule schedule) {
    const Fresh fresh;
    kata::emulator::configure({1, schedule, 17});
    order = 1;
    launch({3, 1, 1}, {100, 1, 1}, [=] {
      const unsigned half = thread_id() % 32 < 16 ? 0xffff : 0xffff0000;
      for (int i = 0; i < 4; ++i) {
        runs();
        if (thread_id() < 96) shuffle(WarpOp::shfl_xor, 0xffffffff, 0, 1);
        runs();
        BARRIER();
        if (thread_id() < 32) shuffle(WarpOp::sync, half, 0, 0);  // in halves
        runs();
        if (thread_id() % 7 == 0) __kata_activemask(__FILE__, __LINE__);
        runs();
      }
      if (thread_id() >= 64) return;
      for (int i = 0; i < 4; ++i) {  // two warps of four are left
        shuffle(WarpOp::ballot, 0xffffffff, 1, 0);
        runs();
      }
    });
    CHECK(kata::emulator::take_findings().empty());
    return order;
  };
  CHECK(order_of(Schedule::forward) == 9464920165785985929u);
  CHECK(order_of(Schedule::reverse) == 7001334065502414149u);
  CHECK(order_of(Schedule::random) == 9069093101594621841u);
}

TEST_CASE("a tree sum in shared memory is right in every schedule") {
  using kata::emulator::Schedule;
  for (const auto schedule : {Schedule::forward, Schedule::reverse, Schedule::random}) {
    const Fresh fresh;
    kata::emulator::configure({0, schedule, 17});
    std::vector<float> values(64 * 256);
    std::iota(values.begin(), values.end(), 0.0f);
    const float* x = device(values);
    float* y = device<float>(64);
    static SharedSlot slot{256 * 4, 4, "tile", 1, 0, 0};
    launch({64, 1, 1}, {256, 1, 1}, [=] {
      auto* tile = static_cast<float*>(__kata_shared(&slot));
      const unsigned t = threadIdx.x;
      store(tile + t, load(x + global_id()));
      BARRIER();
      for (unsigned half = 128; half > 0; half /= 2) {
        if (t < half) store(tile + t, load(tile + t) + load(tile + t + half));
        BARRIER();
      }
      if (t == 0) store(y + blockIdx.x, load(tile));
    });
    const auto sums = host(y, 64);
    for (unsigned b = 0; b < 64; ++b)
      CHECK(sums[b] == std::accumulate(&values[b * 256], &values[b * 256] + 256, 0.0f));
    CHECK(kata::emulator::take_findings().empty());
    const auto kernels = kata::emulator::take_kernels();
    REQUIRE(kernels.size() == 1);
    CHECK(kernels[0].shared_bytes == 1024);
    CHECK(kernels[0].barriers == 64 * 9);
    CHECK(kernels[0].global_load.accesses == 64 * 256);
    CHECK(kernels[0].global_load.bytes == 64 * 256 * 4);
    CHECK(kernels[0].global_store.accesses == 64);
    CHECK(kernels[0].shared_load.accesses == 64 * (2 * 255 + 1));
    CHECK(kernels[0].shared_store.accesses == 64 * (256 + 255));
  }
}

TEST_CASE("barriers count and combine what the threads say") {
  const Fresh fresh;
  auto* result = counters(3);
  launch({1, 1, 1}, {100, 1, 1}, [=] {
    const int odd = threadIdx.x % 2;
    const int count = __kata_barrier(1, odd, "k.cu", 1);
    const int all = __kata_barrier(2, odd, "k.cu", 2);
    const int any = __kata_barrier(3, odd, "k.cu", 3);
    if (threadIdx.x == 99) {
      store(result, static_cast<unsigned>(count));
      store(result + 1, static_cast<unsigned>(all));
      store(result + 2, static_cast<unsigned>(any));
    }
  });
  CHECK(host(result, 3) == std::vector<unsigned>{50, 0, 1});
}

TEST_CASE("shuffles read the lanes that CUDA says") {
  const Fresh fresh;
  auto* result = counters(5 * 32);
  launch({1, 1, 1}, {32, 1, 1}, [=] {
    const unsigned lane = threadIdx.x, all = ~0u;
    store(result + lane, shuffle(WarpOp::shfl_idx, all, lane, 9, 8));
    store(result + 32 + lane, shuffle(WarpOp::shfl_up, all, lane, 3, 16));
    store(result + 64 + lane, shuffle(WarpOp::shfl_down, all, lane, 5, 16));
    store(result + 96 + lane, shuffle(WarpOp::shfl_xor, all, lane, 16));
    store(result + 128 + lane, shuffle(WarpOp::shfl_xor, all, lane, 8, 8));
  });
  const auto r = host(result, 160);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned in16 = lane % 16;
    CHECK(r[lane] == lane / 8 * 8 + 1);
    CHECK(r[32 + lane] == (in16 >= 3 ? lane - 3 : lane));
    CHECK(r[64 + lane] == (in16 + 5 < 16 ? lane + 5 : lane));
    CHECK(r[96 + lane] == (lane ^ 16));
    CHECK(r[128 + lane] == ((lane & 8) ? lane - 8 : lane));  // later groups give the own value
  }
}

TEST_CASE("votes, matches and reductions see exactly the lanes of their mask") {
  const Fresh fresh;
  auto* result = counters(16);
  launch({1, 1, 1}, {32, 1, 1}, [=] {
    const unsigned lane = threadIdx.x;
    if (lane >= 16) return;
    const unsigned mask = 0xffff;
    const auto op = [&](WarpOp o, unsigned v) { return shuffle(o, mask, v, 4); };
    const unsigned values[] = {op(WarpOp::ballot, lane % 3 == 0),
                               op(WarpOp::any, lane == 5),
                               op(WarpOp::all, lane < 16),
                               op(WarpOp::all, lane != 5),
                               op(WarpOp::match_any, lane / 4),
                               op(WarpOp::match_all, 7),
                               op(WarpOp::match_all, lane),
                               op(WarpOp::add, lane),
                               op(WarpOp::min_signed, lane - 8),
                               op(WarpOp::min_unsigned, lane - 8),
                               op(WarpOp::max_signed, lane - 8),
                               op(WarpOp::max_unsigned, lane - 8),
                               op(WarpOp::and_, lane | 16),
                               op(WarpOp::or_, lane),
                               op(WarpOp::xor_, lane),
                               op(WarpOp::sync, 0)};
    for (unsigned i = 0; i < 15 && lane == 6; ++i) store(result + i, values[i]);
  });
  const auto r = host(result, 15);
  const std::vector<unsigned> want{0x9249, 1,    1,
                                   0,      0xf0, 0xffff,
                                   0,      120,  static_cast<unsigned>(-8),
                                   0,      7,    static_cast<unsigned>(-1),
                                   16,     15,   0};
  CHECK(r == want);
  CHECK(kata::emulator::take_findings().empty());
}

TEST_CASE("diverged lanes are active apart") {
  const Fresh fresh;
  auto* result = counters(32);
  launch({1, 1, 1}, {32, 1, 1}, [=] {
    const unsigned lane = threadIdx.x;
    unsigned active = 0;
    if (lane < 10) {
      active = __kata_activemask("k.cu", 1);
    } else {
      active = __kata_activemask("k.cu", 2);
    }
    store(result + lane, active);
  });
  const auto r = host(result, 32);
  CHECK(r[0] == 0x3ff);
  CHECK(r[31] == ~0x3ffu);
}

TEST_CASE("lanes that a loop has parted need not be active together, and those that met are") {
  using kata::emulator::Schedule;
  for (const Schedule schedule : {Schedule::forward, Schedule::reverse, Schedule::random}) {
    CAPTURE(static_cast<int>(schedule));
    const Fresh fresh;
    kata::emulator::configure({1, schedule, 17});
    auto* result = counters(32 * 3);
    launch({1, 1, 1}, {32, 1, 1}, [=] {
      const unsigned lane = threadIdx.x;
      store(result + lane, __kata_activemask("k.cu", 1));
      for (unsigned i = 0; i < lane % 4; ++i) store(result + 32 + lane, i);
      store(result + 32 + lane, __kata_activemask("k.cu", 2));
      shuffle(WarpOp::sync, 0xffffffff, 0, 0);
      store(result + 64 + lane, __kata_activemask("k.cu", 3));
    });
    const auto r = host(result, 32 * 3);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned parted = r[32 + lane];
      CHECK(r[lane] == ~0u);
      CHECK((parted >> lane & 1) == 1);
      CHECK((parted == ~0u) == (schedule == Schedule::forward));
      CHECK(r[64 + lane] == ~0u);
      for (unsigned other = 0; other < 32; ++other)  // who is active together agrees on it
        CHECK((parted >> other & 1) == (r[32 + other] == parted));
    }
  }
}

TEST_CASE("a block that waits for others by atomics gives way after a few looks") {
  const Fresh fresh;
  kata::emulator::configure({1});
  constexpr unsigned blocks = 64;
  auto* arrived = counters(1);
  kata::emulator::take_switches();
  launch({blocks, 1, 1}, {1, 1, 1}, [=] {
    add(arrived, 1);
    while (add(arrived, 0) < blocks) {
    }
  });
  CHECK(host(arrived, 1)[0] == blocks);
  CHECK(kata::emulator::take_switches() < 100 * blocks);
}

TEST_CASE("atomics of all blocks add up on several OS threads") {
  const Fresh fresh;
  auto* sum = device(std::vector<float>{0});
  auto* count = counters(1);
  auto* wide = device(std::vector<unsigned long long>{0});
  launch({200, 1, 1}, {128, 1, 1}, [=] {
    const float one = 1;
    __kata_atomic(static_cast<int>(AtomicOp::add), static_cast<int>(AtomicType::f32), sum,
                  std::bit_cast<unsigned>(one), 0);
    __kata_atomic(static_cast<int>(AtomicOp::inc), static_cast<int>(AtomicType::u32), count, 9999,
                  0);
    __kata_atomic(static_cast<int>(AtomicOp::max), static_cast<int>(AtomicType::u64), wide,
                  (1ull << 40) + global_id(), 0);
  });
  CHECK(host(sum, 1)[0] == 25600);
  CHECK(host(count, 1)[0] == 25600 % 10000);
  CHECK(host(wide, 1)[0] == (1ull << 40) + 25599);
  const auto kernels = kata::emulator::take_kernels();
  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0].atomic.accesses == 3 * 25600);
  CHECK(kernels[0].atomic.bytes == 16 * 25600);
}

TEST_CASE("atomics do what each of them says") {
  const Fresh fresh;
  struct Row {
    AtomicOp op;
    AtomicType type;
    std::uint32_t old, value, want;
  };
  const auto s = [](int v) { return static_cast<std::uint32_t>(v); };
  const Row rows[] = {
      {AtomicOp::add, AtomicType::i32, s(-3), 5, 2},
      {AtomicOp::min, AtomicType::i32, s(-3), 5, s(-3)},
      {AtomicOp::min, AtomicType::u32, s(-3), 5, 5},
      {AtomicOp::max, AtomicType::i32, s(-3), 5, 5},
      {AtomicOp::max, AtomicType::u32, s(-3), 5, s(-3)},
      {AtomicOp::exch, AtomicType::u32, 1, 5, 5},
      {AtomicOp::and_, AtomicType::u32, 12, 10, 8},
      {AtomicOp::or_, AtomicType::u32, 12, 10, 14},
      {AtomicOp::xor_, AtomicType::u32, 12, 10, 6},
      {AtomicOp::inc, AtomicType::u32, 4, 5, 5},
      {AtomicOp::inc, AtomicType::u32, 5, 5, 0},
      {AtomicOp::dec, AtomicType::u32, 0, 5, 5},
      {AtomicOp::dec, AtomicType::u32, 3, 5, 2},
      {AtomicOp::dec, AtomicType::u32, 9, 5, 5},
      {AtomicOp::cas, AtomicType::u32, 7, 5, 5},
  };
  for (const Row& row : rows) {
    auto* word = device(std::vector<std::uint32_t>{row.old});
    auto* old = counters(1);
    launch({1, 1, 1}, {1, 1, 1}, [=] {
      store(old,
            static_cast<unsigned>(__kata_atomic(
                static_cast<int>(row.op), static_cast<int>(row.type), word, row.value, row.old)));
    });
    CAPTURE(static_cast<int>(row.op));
    CHECK(host(word, 1)[0] == row.want);
    CHECK(host(old, 1)[0] == row.old);
  }
}

TEST_CASE("a lock that one thread holds while others spin is handed on") {
  const Fresh fresh;
  auto* lock = counters(1);
  auto* count = counters(1);
  launch({4, 1, 1}, {64, 1, 1}, [=] {
    const auto cas = static_cast<int>(AtomicOp::cas), u32 = static_cast<int>(AtomicType::u32);
    while (__kata_atomic(cas, u32, lock, 1, 0) != 0) {
    }
    store(count, load(count) + 1);
    __kata_atomic(static_cast<int>(AtomicOp::exch), u32, lock, 0, 0);
  });
  CHECK(host(count, 1)[0] == 256);
}

TEST_CASE("a block may wait for one that comes later in the schedule") {
  const Fresh fresh;
  kata::emulator::configure({1, kata::emulator::Schedule::reverse});
  auto* turn = counters(1);
  launch({8, 1, 1}, {33, 1, 1}, [=] {
    if (threadIdx.x == 32) {
      for (;;) {
        __tsan_volatile_read4(turn);
        if (*const_cast<volatile unsigned*>(turn) == blockIdx.x) break;
      }
      __tsan_write4(turn);
      *const_cast<volatile unsigned*>(turn) = blockIdx.x + 1;
    }
    BARRIER();
  });
  CHECK(host(turn, 1)[0] == 8);
}

TEST_CASE("a cooperative launch keeps all its blocks resident") {
  const Fresh fresh;
  constexpr unsigned blocks = 132 * 2, threads = 96;
  auto* sums = counters(3);
  auto* wrong = counters(1);
  const auto body = [=] {
    for (unsigned round = 0; round < 3; ++round) {
      add(sums + round, 1);
      __kata_grid_sync();
      if (load(sums + round) != blocks * threads) add(wrong, 1);
    }
  };
  launch({blocks, 1, 1}, {threads, 1, 1}, body, 0, 1);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(host(sums, 3) == std::vector<unsigned>(3, blocks * threads));
  CHECK(host(wrong, 1)[0] == 0);
  CHECK(kata::emulator::take_findings().empty());
}

TEST_CASE("tens of thousands of resident threads do not exhaust the machine") {
  const Fresh fresh;
  constexpr unsigned blocks = 132, threads = 512;  // more fibers than there may be guard pages
  auto* sum = counters(1);
  launch(
      {blocks, 1, 1}, {threads, 1, 1},
      [=] {
        add(sum, 1);
        __kata_grid_sync();
        if (load(sum) == blocks * threads && global_id() == 7) add(sum, 1);
      },
      0, 1);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(host(sum, 1)[0] == blocks * threads + 1);
}

TEST_CASE("a random schedule can choose each lane of a set") {
  using namespace kata::emulator;
  for (const unsigned lanes :
       {1u, 0x80000000u, 0xffffffffu, 0x00ff00f0u, 0x81000001u, 0x12345678u}) {
    unsigned n = 0;
    for_each_lane(lanes, [&](unsigned lane) { CHECK(nth_lane(lanes, n++) == lane); });
    CHECK(count_lanes(lanes) == n);
  }
}
