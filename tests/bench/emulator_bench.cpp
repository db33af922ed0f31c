// What the emulator's runtime costs: nanoseconds per instrumented access, per thread begun, per
// switch between fibers, per launch. On one OS thread; the least of several runs.
//
//   cmake --build build --target emulator_bench && build/emulator_bench

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "emulator/tests/runtime/kernels.h"

using namespace kernels;

namespace {

template <class Run>
double nanoseconds(double per, const Run& run) {
  double least = 1e30;
  for (int repetition = 0; repetition < 7; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    least = std::min(least, time.count() / per);
    kata::emulator::take_kernels();
  }
  return least;
}

void show(const char* what, double ns) {
  std::printf("%-44s %9.2f ns\n", what, ns);
}

constexpr unsigned accesses = 4096;

}  // namespace

int main() {
  kata::emulator::configure({.threads = 1});
  float* x = device(std::vector<float>(1 << 20, 1), "x");
  static SharedSlot slot{1024 * 4, 4, "tile", 1, 0, 0};

  show("global load", nanoseconds(accesses * 256.0, [=] {
         launch({1, 1, 1}, {256, 1, 1}, [=] {
           float sum = 0;
           for (unsigned i = 0; i < accesses; ++i) sum += load(x + i % 64 * 256 + threadIdx.x);
           store(x + threadIdx.x, sum);
         });
       }));
  show("global store", nanoseconds(accesses * 256.0, [=] {
         launch({1, 1, 1}, {256, 1, 1}, [=] {
           for (unsigned i = 0; i < accesses; ++i) store(x + i % 64 * 256 + threadIdx.x, 1.0f);
         });
       }));
  show("shared load", nanoseconds(accesses * 256.0, [=] {
         launch({1, 1, 1}, {256, 1, 1}, [=] {
           auto* tile = static_cast<float*>(__kata_shared(&slot));
           store(tile + threadIdx.x, 1.0f);
           float sum = 0;
           for (unsigned i = 0; i < accesses; ++i) sum += load(tile + threadIdx.x);
           store(tile + threadIdx.x, sum);
         });
       }));
  // A counted loop needs the trace of basic blocks, too.
  const auto counted_loads = [=](unsigned stride) {
    kata::emulator::configure({.threads = 1, .count_requests = true});
    const double ns = nanoseconds(accesses * 256.0, [=] {
      launch({1, 1, 1}, {256, 1, 1}, [=] {
        float sum = 0;
        for (unsigned i = 0; i < accesses; ++i) {
          __sanitizer_cov_trace_pc();
          sum += load(x + (i % 64 * 256 + threadIdx.x) * stride % (1 << 20));
        }
        store(x + threadIdx.x, sum);
      });
    });
    kata::emulator::configure({.threads = 1});
    return ns;
  };
  show("global load, requests counted", counted_loads(1));
  show("global load of a column, requests counted", counted_loads(64));
  show("atomic add, global", nanoseconds(accesses * 256.0, [=] {
         launch({1, 1, 1}, {256, 1, 1}, [=] {
           for (unsigned i = 0; i < accesses; ++i) {
             __kata_atomic(static_cast<int>(AtomicOp::add), static_cast<int>(AtomicType::i32), x, 0,
                           0);
           }
         });
       }));
  show("thread, empty", nanoseconds(1000 * 256.0, [=] {
         launch({1000, 1, 1}, {256, 1, 1}, [] {});
       }));
  show("__syncthreads(), per thread", nanoseconds(1000 * 256.0, [=] {
         launch({1, 1, 1}, {256, 1, 1}, [] {
           for (int i = 0; i < 1000; ++i) BARRIER();
         });
       }));
  show("__shfl_xor_sync(), per thread", nanoseconds(1000 * 256.0, [=] {
         launch({1, 1, 1}, {256, 1, 1}, [] {
           for (int i = 0; i < 1000; ++i) shuffle(WarpOp::shfl_xor, ~0u, 1, 4);
         });
       }));
  const auto small = [=] {
    for (int i = 0; i < 1000; ++i) {
      launch({8, 1, 1}, {32, 1, 1}, [=] { store(x + global_id(), 1.0f); });
    }
  };
  show("launch of 8 blocks of 32, one OS thread", nanoseconds(1000, small));
  kata::emulator::configure({});
  show("launch of 8 blocks of 32, all OS threads", nanoseconds(1000, small));
}
