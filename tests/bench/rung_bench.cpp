// What the emulator needs for whole rungs, in milliseconds: with findings alone, with requests
// counted besides, and with the report taken after it. On two OS threads.
//
//   cmake --build build --target rung_bench && build/rung_bench [repetitions]
//
// The goals are those of the emulator's prototype (two cores): counted, no slower than these.

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "emulator/runtime_kernels.h"
#include "support/paths.h"

using namespace kata;

namespace {

struct Rung {
  std::string operator_name, rung, size;
  double goal_ms;
};

const std::vector<Rung> rungs{{"sgemm", "1_naive", "256x256x256", 200},
                              {"sgemm", "2_block_tile", "256x256x256", 250},
                              {"sgemm", "5_vectorized", "256x256x256", 20},
                              {"reduce_sum", "4_sequential", "1048576", 200},
                              {"reduce_sum", "6_warp_shuffle", "1048576", 25}};

void* entry_of(const Rung& rung) {
  const Result<Module> module =
      compile({.source = solutions(rung.operator_name) / (rung.rung + ".cu")});
  void* handle = module ? dlopen(module->path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  void* entry = handle ? dlsym(handle, rung.operator_name.c_str()) : nullptr;
  if (entry) return entry;
  std::fprintf(stderr, "%s does not compile: build/kata check tells why\n", rung.rung.c_str());
  std::exit(2);
}

std::function<void()> call_of(const Rung& rung) {
  void* entry = entry_of(rung);
  const auto zeros = [](std::size_t count) {
    return kernels::device(std::vector<float>(count, 0.0f));
  };
  float *a = zeros(1 << 20), *b = zeros(1 << 16), *c = zeros(1 << 16);
  if (rung.operator_name == "sgemm") {
    using Sgemm = void (*)(const float*, const float*, float*, int, int, int);
    return [=] { reinterpret_cast<Sgemm>(entry)(a, b, c, 256, 256, 256); };
  }
  using Sum = void (*)(const float*, float*, int);
  return [=] { reinterpret_cast<Sum>(entry)(a, c, 1 << 20); };
}

/// Sorted.
std::vector<double> milliseconds(int repetitions, const std::function<void()>& run) {
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
    emulator::take_kernels();
  }
  std::sort(times.begin(), times.end());
  return times;
}

void show(const std::vector<double>& times) {
  std::printf("  %7.1f (%.1f to %.1f)", times[times.size() / 2], times.front(), times.back());
}

}  // namespace

int main(int count, char** arguments) {
  const int repetitions = count > 1 ? std::max(std::atoi(arguments[1]), 1) : 9;
  std::printf("%-28s  median ms (least to most) of %d: findings; counted; counted and reported\n",
              "", repetitions);
  for (const Rung& rung : rungs) {
    const std::function<void()> call = call_of(rung);
    const auto run = [&] {
      call();
      cudaDeviceSynchronize();
    };
    std::printf("%-12s%-16s", rung.operator_name.c_str(), rung.rung.c_str());
    emulator::configure({.threads = 2});
    run();  // pages, lines
    show(milliseconds(repetitions, run));
    emulator::configure({.threads = 2, .count_requests = true});
    show(milliseconds(repetitions, run));
    show(milliseconds(repetitions, [&] {
      run();
      emulator::take_findings();
      emulator::take_kernels();
    }));
    std::printf("  goal %.0f\n", rung.goal_ms);
  }
}
