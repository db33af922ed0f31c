// What the emulator needs for five kernels (kernel_bench.cu), in milliseconds: with findings alone,
// with requests counted, too, with the report taken after it, and not instrumented at all. On
// two OS threads.
//
//   cmake --build build --target kernel_bench && build/kernel_bench [repetitions] [kernel]
//
// The goals are what a prototype of the emulator needed for the same kernels.

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "emulator/tests/runtime/kernels.h"
#include "support/paths.h"

using namespace kata;

namespace {

struct Kernel {
  std::string name, what;
  int n;
  double goal_ms;
};

const std::vector<Kernel> all{{"naive", "sgemm 256^3, naive", 256, 200},
                              {"tiled", "sgemm 256^3, tiles of 32x32", 256, 250},
                              {"registers", "sgemm 256^3, tiles of 128x128x8", 256, 20},
                              {"halving", "sum of 2^20 by halving", 1 << 20, 200},
                              {"shuffle", "sum of 2^20 by shuffles", 1 << 20, 25}};

using Entry = void (*)(const float*, const float*, float*, int);

void* compiled(bool instrumented) {
  const Result<Module> module =
      compile({.source = root() / "tests/bench/kernel_bench.cu", .instrumented = instrumented});
  void* handle = module ? dlopen(module->path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (handle) return handle;
  std::fprintf(stderr, "tests/bench/kernel_bench.cu does not compile: %s\n",
               module ? dlerror() : module.error().message.c_str());
  std::exit(2);
}

/// Inputs as the judge makes them.
const float* input() {
  constexpr std::size_t count = 1 << 20;
  float* const memory = kernels::device(std::vector<float>(count, 0.0f));
  emulator::make_input(memory, count * sizeof(float));
  return memory;
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
  std::printf("  %6.1f (%6.1f to %6.1f)", times[times.size() / 2], times.front(), times.back());
  std::fflush(stdout);
}

void measure(const Kernel& kernel, Entry entry, Entry plain_entry, int repetitions) {
  static const float* const a = input();
  static const float* const b = input();
  static float* const c = kernels::device(std::vector<float>(1 << 16, 0.0f));
  const auto run = [&] {
    entry(a, b, c, kernel.n);
    cudaDeviceSynchronize();
  };
  std::printf("%-32s", kernel.what.c_str());
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
  emulator::configure({.threads = 2, .checked = false});
  show(milliseconds(repetitions, [&] {
    plain_entry(a, b, c, kernel.n);
    cudaDeviceSynchronize();
  }));
  std::printf("  goal %3.0f\n", kernel.goal_ms);
}

}  // namespace

int main(int count, char** arguments) {
  const int repetitions = count > 1 ? std::max(std::atoi(arguments[1]), 1) : 9;
  const std::string wanted = count > 2 ? arguments[2] : "";
  void* const module = compiled(true);
  void* const plain_module = compiled(false);
  const auto entry_of = [](void* of, const Kernel& kernel) {
    return reinterpret_cast<Entry>(dlsym(of, kernel.name.c_str()));
  };
  std::printf(
      "median ms (least to most) of %d: findings; counted; counted and reported; "
      "not instrumented\n",
      repetitions);
  for (const Kernel& kernel : all) {
    if (!wanted.empty() && wanted != kernel.name) continue;
    measure(kernel, entry_of(module, kernel), entry_of(plain_module, kernel), repetitions);
  }
}
