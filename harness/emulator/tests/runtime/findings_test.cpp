#include <doctest/doctest.h>

#include "emulator/tests/runtime/expect_findings.h"

using namespace kernels;

TEST_CASE("a read past the end names the buffer, the element and the thread, and goes on") {
  const Fresh fresh;
  const float* x = device(std::vector<float>(1023, 1), "x");
  float* y = device<float>(1024, "y");
  int line = 0;
  launch({4, 1, 1}, {256, 1, 1}, [=, &line] {
    const unsigned i = global_id();
    line = __LINE__ + 1;
    __tsan_read4(const_cast<float*>(x + i));
    store(y + i, x[i]);
  });
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::out_of_bounds);
  CHECK(finding.severity == Severity::error);
  CHECK(finding.kernel == "kernel");
  CHECK(ends_with(finding.file, "findings_test.cpp"));
  CHECK(finding.line == line);
  CHECK(contains(finding.message, "reads x[1023], past the end of x (1023 floats)"));
  CHECK(contains(finding.message, "thread (255,0,0) of block (3,0,0)"));
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  const float last = host(y, 1024)[1023];
  CHECK(last != last);  // poison, and not some neighbour's value
}

TEST_CASE("a write past the end damages no other buffer") {
  const Fresh fresh;
  float* x = device(std::vector<float>(100, 1), "x");
  float* next = device(std::vector<float>(100, 2));
  launch({1, 1, 1}, {128, 1, 1}, [=] { store(x + threadIdx.x, 3.0f); });
  const Finding finding = only_finding();
  CHECK(contains(finding.message, "writes x[100]"));
  CHECK(contains(finding.note, "27 more like it"));
  CHECK(host(next, 100) == std::vector<float>(100, 2));
  launch({1, 1, 1}, {1, 1, 1}, [=] { store(x - 1, 3.0f); });
  CHECK(contains(only_finding().message, "writes x[-1], before its start"));
}

TEST_CASE(
    "an index that is wrong by a whole buffer is named after its own, not after the next one") {
  const Fresh fresh;
  float* x = device(std::vector<float>(100, 1), "x");
  float* next = device(std::vector<float>(1000, 2), "next");
  float* large = device(std::vector<float>(20 << 20, 3), "large");
  float* last = device(std::vector<float>(100, 4), "last");
  struct Row {
    float* pointer;
    const char* message;
  };
  const Row rows[] = {{x + 100'100, "writes x[100100], past the end of x ("},
                      {next + 2000, "writes next[2000], past the end of next ("},
                      {next - 1000, "writes next[-1000], before its start"},
                      {large + (40 << 20) - 1, "writes large[41943039], past the end of large ("},
                      {last + (20 << 20), "writes last[20971520], past the end of last ("}};
  for (const Row& row : rows) {
    launch({1, 1, 1}, {1, 1, 1}, [=] { store(row.pointer, 9.0f); });
    CHECK(contains(only_finding().message, row.message));
  }
}

TEST_CASE("every kind of store to an input is found; reads are fine") {
  const Fresh fresh;
  float* x = device(std::vector<float>(8, 1), "x");
  int* k = device(std::vector<int>(8, 1), "k");
  kata::emulator::make_input(x, 8 * sizeof *x);
  kata::emulator::make_input(k, 7);
  launch({1, 1, 1}, {8, 1, 1}, [=] { load(x + threadIdx.x); });
  CHECK(kata::emulator::take_findings().empty());
  int line = 0;
  launch({1, 1, 1}, {8, 1, 1}, [=, &line] {
    if (threadIdx.x < 3) return;
    line = __LINE__ + 1;
    __tsan_write4(x + threadIdx.x);
  });
  Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::input_modified);
  CHECK(finding.severity == Severity::error);
  CHECK(finding.kernel == "kernel");
  CHECK(finding.line == line);
  CHECK(contains(finding.message, "thread (3,0,0) of block (0,0,0) writes x[3], an input"));
  CHECK(contains(finding.note, "4 more like it"));
  launch({1, 1, 1}, {1, 1, 1}, [=] { __tsan_write16(x + 4); });
  CHECK(contains(only_finding().message, "writes 16 bytes at x[4], an input"));
  const auto add = [](int* to) {
    __kata_atomic(static_cast<int>(AtomicOp::add), static_cast<int>(AtomicType::i32), to, 1, 0);
  };
  launch({1, 1, 1}, {1, 1, 1}, [=] { add(k + 1); });  // of its four bytes three are an input's
  CHECK(only_finding().kind == FindingKind::input_modified);
  launch({1, 1, 1}, {1, 1, 1}, [=] { add(k + 2); });
  CHECK(kata::emulator::take_findings().empty());
  float* copy = device<float>(8, "copy");
  REQUIRE(cudaMemcpy(copy, x, 32, cudaMemcpyDeviceToDevice) == cudaSuccess);
  launch({1, 1, 1}, {8, 1, 1}, [=] { store(copy + threadIdx.x, 2.0f); });
  CHECK(kata::emulator::take_findings().empty());
}

TEST_CASE("memory that was freed is not to be used") {
  const Fresh fresh;
  float* x = device(std::vector<float>(100, 1), "x");
  REQUIRE(cudaFree(x) == cudaSuccess);
  launch({1, 1, 1}, {1, 1, 1}, [=] { store(x + 5, 3.0f); });
  CHECK(contains(only_finding().message, "writes x[5], after cudaFree"));
}

TEST_CASE("a bounds check that lets one index too many through is not called missing") {
  const auto note_of = [](unsigned last) {
    const Fresh fresh;
    const float* x = device(std::vector<float>(100, 1), "x");
    launch({1, 1, 1}, {128, 1, 1}, [=] {
      if (threadIdx.x <= last) __tsan_read4(const_cast<float*>(x + threadIdx.x));
    });
    return only_finding().note;
  };
  CHECK(contains(note_of(100), "one index too many through (`i <= n` for `i < n`)"));
  CHECK(contains(note_of(101), "is a bounds check such as `if (i < n)` missing?"));
}

TEST_CASE("an access far from everything ends the launch with the error of a device") {
  float on_host = 0;
  struct Row {
    float* pointer;
    const char* message;
  };
  const Row rows[] = {{nullptr, "through a null pointer"},
                      {&on_host, "host memory"},
                      {reinterpret_cast<float*>(0x7000'0000'0000), "which is not mapped"},
                      {reinterpret_cast<float*>(0x1008'0000'0000), "far from any allocation"}};
  for (const Row& row : rows) {
    const Fresh fresh;
    launch({10, 1, 1}, {64, 1, 1}, [=] { store(row.pointer, 1.0f); });
    const Finding finding = only_finding();
    CHECK(finding.kind == FindingKind::out_of_bounds);
    CHECK(contains(finding.message, row.message));
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    void* pointer = nullptr;
    CHECK(__kata_malloc(&pointer, 4, 0, "k.cu", 1) == cudaErrorIllegalAddress);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);  // it stays
  }
}

TEST_CASE("a vector access needs its alignment, and a struct of floats does not") {
  const Fresh fresh;
  float* x = device(std::vector<float>(100, 1), "x");
  launch({1, 1, 1}, {1, 1, 1}, [=] { __tsan_unaligned_read8(x + 1); });
  CHECK(kata::emulator::take_findings().empty());
  launch({1, 1, 1}, {1, 1, 1}, [=] { __tsan_read16(x + 2); });
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::misaligned);
  CHECK(contains(finding.message, "reads 16 bytes at once at x[2]"));
  CHECK(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
}

TEST_CASE("a read of memory that was never written is found") {
  const Fresh fresh;
  float* x = device<float>(10, "x");
  float* y = device<float>(10, "y");
  launch({1, 1, 1}, {10, 1, 1}, [=] {
    if (threadIdx.x < 5) store(x + threadIdx.x, 1.0f);
    BARRIER();
    store(y + threadIdx.x, load(x + threadIdx.x));
  });
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::uninitialized);
  CHECK(contains(finding.message, "reads x[5], which nothing has written yet"));
  CHECK(contains(finding.note, "cudaMemset it before the launch"));
  CHECK(contains(finding.note, "(4 more like it)"));
  CHECK(finding.object == "x");
  const float value = host(y, 10)[9];
  CHECK(value != value);

  kata::emulator::poison(y, 40, 0x11111111);
  launch({1, 1, 1}, {1, 1, 1}, [=] { store(x, load(y + 3)); });
  CHECK(only_finding().kind == FindingKind::uninitialized);
  CHECK(host(y, 10)[3] == host(y, 10)[4]);  // the pattern of who poisoned it is kept
}

TEST_CASE("shared memory is checked element by element") {
  const Fresh fresh;
  static SharedSlot slot{32 * 4, 4, "tile", 1, 0, 0};
  float* y = device<float>(64);
  launch({2, 1, 1}, {33, 1, 1}, [=] {
    auto* tile = static_cast<float*>(__kata_shared(&slot));
    store(tile + threadIdx.x, 1.0f);
  });
  Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::out_of_bounds);
  CHECK(contains(finding.message, "writes 4-byte word 32 of tile (32 words)"));
  launch({2, 1, 1}, {32, 1, 1}, [=] {
    auto* tile = static_cast<float*>(__kata_shared(&slot));
    if (threadIdx.x != 7) store(tile + threadIdx.x, 1.0f);
    BARRIER();
    store(y + global_id(), load(tile + threadIdx.x));
  });
  finding = only_finding();
  CHECK(finding.kind == FindingKind::uninitialized);
  CHECK(contains(finding.message, "thread (7,0,0) of block (0,0,0) reads 4-byte word 7 of tile"));
  launch(
      {1, 1, 1}, {32, 1, 1},
      [] { store(static_cast<float*>(__kata_dynamic_shared()) + threadIdx.x, 1.0f); }, 64);
  CHECK(contains(only_finding().message, "4-byte word 16 of dynamic shared memory (16 words)"));
}

TEST_CASE("a barrier that some threads never reach is found") {
  const Fresh fresh;
  launch({2, 1, 1}, {64, 1, 1}, [] {
    if (threadIdx.x >= 40) return;
    __kata_barrier(0, 0, "k.cu", 12);
  });
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::barrier_divergence);
  CHECK(finding.file == "k.cu");
  CHECK(finding.line == 12);
  CHECK(contains(finding.message, "24 threads of block (0,0,0) had returned or skipped this"));
}

TEST_CASE("threads at two different barriers are found") {
  const Fresh fresh;
  launch({1, 1, 1}, {64, 1, 1}, [] {
    if (threadIdx.x % 2) {
      __kata_barrier(0, 0, "k.cu", 5 | 1 << 17);
    } else {
      __kata_barrier(0, 0, "k.cu", 7 | 2 << 17);
    }
  });
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::barrier_divergence);
  CHECK(finding.line == 7);
  CHECK(contains(finding.message, "thread (1,0,0) waits at the one in line 5"));
}

TEST_CASE("a deadlock says who waits where, and ends") {
  const Fresh fresh;
  launch({3, 1, 1}, {64, 1, 1}, [] {
    if (threadIdx.x == 0) {
      __kata_barrier(0, 0, "k.cu", 5);
    } else if (threadIdx.x < 32) {
      shuffle(WarpOp::sync, ~0u, 0, 0);
    }
  });
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::deadlock);
  CHECK(finding.line == 5);
  CHECK(contains(finding.message,
                 "thread (0,0,0) of block (0,0,0) waits at __syncthreads() for ever"));
  CHECK(contains(finding.message, "while thread (1,0,0) waits in"));
  CHECK(contains(finding.message, "32 threads of the block returned"));
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
}

TEST_CASE("a shuffle from a lane that has returned is found, a mask that names one is a warning") {
  const Fresh fresh;
  launch({1, 1, 1}, {32, 1, 1}, [] {
    if (threadIdx.x >= 30) return;
    shuffle(WarpOp::shfl_down, ~0u, 1, 16);
  });
  Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::barrier_divergence);
  CHECK(finding.severity == Severity::error);
  CHECK(contains(finding.message, "reads lane 30 in __shfl_down_sync()"));
  launch({1, 1, 1}, {32, 1, 1}, [] {
    if (threadIdx.x >= 30) return;
    shuffle(WarpOp::ballot, ~0u, 1, 0);
  });
  finding = only_finding();
  CHECK(finding.severity == Severity::warning);
  CHECK(contains(finding.message, "0xc0000000"));
  launch({1, 1, 1}, {32, 1, 1}, [] { shuffle(WarpOp::sync, 1, 0, 0); });
  CHECK(contains(only_finding().message, "does not name its own lane 1"));
}

TEST_CASE("a block that is no multiple of a warp may use full masks") {
  const Fresh fresh;
  launch({1, 1, 1}, {40, 1, 1}, [] { shuffle(WarpOp::shfl_xor, ~0u, 1, 4); });
  CHECK(kata::emulator::take_findings().empty());
}

TEST_CASE("an endless loop ends, at its line") {
  const Fresh fresh;
  kata::emulator::configure({.access_limit = 5'000'000});
  float* x = device(std::vector<float>(1, 1), "x");
  launch({2, 1, 1}, {64, 1, 1}, [=] {
    while (load(x) == 1) {
    }
  });
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::timeout);
  CHECK(ends_with(finding.file, "emulator/tests/runtime/kernels.h"));
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
}

TEST_CASE("a slow launch whose blocks end is no endless loop: its call ends, and says nothing") {
  const Fresh fresh;
  kata::emulator::configure({.access_limit = 5'000'000});
  float* x = device(std::vector<float>(1, 1), "x");
  CHECK_THROWS(launch({64, 1, 1}, {64, 1, 1}, [=] {
    for (int i = 0; i < 20'000; ++i) load(x);
  }));
  CHECK(kata::emulator::take_findings().empty());
  CHECK(kata::emulator::take_ended_slow());
  CHECK_FALSE(kata::emulator::take_ended_slow());
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  launch({1, 1, 1}, {64, 1, 1}, [=] { load(x); });
  CHECK_FALSE(kata::emulator::take_ended_slow());
}

TEST_CASE("an endless loop is found behind blocks that have ended") {
  const Fresh fresh;
  kata::emulator::configure({.threads = 1, .access_limit = 5'000'000});
  float* x = device(std::vector<float>(1, 1), "x");
  launch({8, 1, 1}, {64, 1, 1}, [=] {
    while (blockIdx.x == 3 && load(x) == 1) {
    }
  });
  CHECK(only_finding().kind == FindingKind::timeout);
  CHECK_FALSE(kata::emulator::take_ended_slow());
}

TEST_CASE("an endless loop of barriers ends too") {
  const Fresh fresh;
  kata::emulator::configure({.access_limit = 5'000'000});
  launch({1, 1, 1}, {64, 1, 1}, [] {
    for (;;) __kata_barrier(0, 0, "k.cu", 9);
  });
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::timeout);
  CHECK(finding.line == 9);
}

TEST_CASE("host code cannot use device memory, but managed and pinned memory") {
  const Fresh fresh;
  float* x = device(std::vector<float>(8, 1), "x");
  __tsan_read4(x + 3);
  Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::out_of_bounds);
  CHECK(contains(finding.message, "host code reads device memory (x[3])"));
  void* managed = nullptr;
  void* pinned = nullptr;
  REQUIRE(__kata_malloc(&managed, 64, 1, "k.cu", 3) == 0);
  REQUIRE(cudaHostAlloc(&pinned, 64, 0) == cudaSuccess);
  for (void* memory : {managed, pinned}) {
    auto* values = static_cast<float*>(memory);
    store(values, 2.0f);
    launch({1, 1, 1}, {1, 1, 1}, [=] { store(values + 1, load(values)); });
    cudaDeviceSynchronize();
    CHECK(load(values + 1) == 2.0f);
  }
  CHECK(kata::emulator::take_findings().empty());
}

namespace {

__attribute__((noinline)) void use_much_local_memory() {
  float local[160'000];
  asm volatile("" : : "r"(local) : "memory");
  __tsan_write4(local);
  local[0] = 1;
}

}  // namespace

TEST_CASE("local memory beyond a thread's stack is found") {
  const Fresh fresh;
  launch({1, 1, 1}, {64, 1, 1}, [] {
    BARRIER();
    if (threadIdx.x == 63) use_much_local_memory();
    BARRIER();
  });
  CHECK(contains(only_finding().message, "more than 576 KiB"));
}

TEST_CASE("a pointer to a local variable means nothing to other threads") {
  const Fresh fresh;
  static SharedSlot slot{8, 8, "pointer", 1, 0, 0};
  launch({1, 1, 1}, {2, 1, 1}, [] {
    auto** pointer = static_cast<float**>(__kata_shared(&slot));
    float local = 1;
    if (threadIdx.x == 0) *pointer = &local;
    BARRIER();
    if (threadIdx.x == 1) store(*pointer, 2.0f);
    BARRIER();
  });
  CHECK(contains(only_finding().message, "a local variable of another thread"));
}

TEST_CASE("findings are the same with one OS thread and with two") {
  std::vector<std::string> texts[2];
  for (const unsigned threads : {1u, 2u}) {
    for (int repetition = 0; repetition < 20; ++repetition) {
      const Fresh fresh;
      kata::emulator::configure({.threads = threads});
      const float* x = device(std::vector<float>(100, 1), "x");
      float* y = device<float>(2000, "y");
      launch({64, 1, 1}, {32, 1, 1}, [=] {
        store(y + global_id(), load(x + blockIdx.x * 2));
        if (blockIdx.x >= 20 && threadIdx.x == 3) store(static_cast<float*>(nullptr), 1.0f);
      });
      std::vector<std::string> seen;
      for (const Finding& finding : kata::emulator::take_findings())
        seen.push_back(to_string(finding.kind) +
                       (" " + std::to_string(finding.line) + finding.message));
      CHECK(seen.size() == 1);
      auto& known = texts[threads - 1];
      if (known.empty()) known = seen;
      CHECK(known == seen);
    }
  }
  CHECK(texts[0] == texts[1]);
}

TEST_CASE("an unsupported feature ends the launch at its line") {
  const Fresh fresh;
  launch({1, 1, 1}, {1, 1, 1}, [] { __kata_unsupported("textures", "k.cu", 31); });
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::unsupported);
  CHECK(finding.line == 31);
  CHECK(contains(finding.message, "textures"));
}
