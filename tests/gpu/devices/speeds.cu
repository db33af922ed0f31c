// How fast two devices reach each other's memory: the figures that predictions of collective
// operators stand on. Each line begins with "chip:", since the emulator has no such times.
#include <algorithm>
#include <vector>

#include "facts.h"

namespace {

constexpr size_t bytes = size_t{1} << 30;

/// The median of some calls of `work`, which queues it in each stream, by the events of the first.
template <class Work>
double median_ms(std::vector<int> devices, Work work) {
  std::vector<float> times;
  for (int repeat = 0; repeat < 7; ++repeat) {
    float longest = 0;
    std::vector<cudaEvent_t> begins, ends;
    for (int device : devices) {
      begins.push_back(event_on(device));
      ends.push_back(event_on(device));
    }
    for (size_t i = 0; i < devices.size(); ++i) {
      const Current current(devices[i]);
      cudaEventRecord(begins[i]);
      work(devices[i]);
      cudaEventRecord(ends[i]);
    }
    for (size_t i = 0; i < devices.size(); ++i) {
      const Current current(devices[i]);
      float ms = 0;
      cudaEventSynchronize(ends[i]);
      cudaEventElapsedTime(&ms, begins[i], ends[i]);
      longest = std::max(longest, ms);
    }
    times.push_back(longest);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void tell_speed(const char* what, size_t moved, double ms) {
  printf("chip: %s %s: %.0f GB/s\n", fact_name, what, static_cast<double>(moved) / ms / 1e6);
  fflush(stdout);
}

struct Buffers {
  char* on[2][2];  // of device, two each
};

Buffers buffers() {
  connect();
  Buffers all{};
  for (int device : {0, 1})
    for (int i : {0, 1}) all.on[device][i] = memory_on<char>(device, bytes);
  return all;
}

void copy_engines() {
  const Buffers all = buffers();
  const auto copy = [&](int device) {
    cudaMemcpyAsync(all.on[1 - device][0], all.on[device][1], bytes, cudaMemcpyDefault, nullptr);
  };
  tell_speed("one way", bytes, median_ms({0}, copy));
  tell_speed("both ways, each", bytes, median_ms({0, 1}, copy));
  for (size_t small : {size_t{64} << 10, size_t{1} << 20, size_t{16} << 20}) {
    const double ms = median_ms({0}, [&](int) {
      cudaMemcpyAsync(all.on[1][0], all.on[0][1], small, cudaMemcpyDefault, nullptr);
    });
    printf("chip: %s %zu KiB: %.1f us\n", fact_name, small >> 10, ms * 1e3);
  }
}

template <class T>
__global__ void move(T* to, const T* from, size_t count) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i + 3 * step < count; i += 4 * step) {
    T values[4];
    for (int k = 0; k < 4; ++k) values[k] = from[i + k * step];
    for (int k = 0; k < 4; ++k) to[i + k * step] = values[k];
  }
  for (; i < count; i += step) to[i] = from[i];
}

/// Loads from the peer into the own memory, or stores from the own into the peer's.
template <class T>
void moves(const Buffers& all, bool loads, std::vector<int> devices) {
  for (int blocks : {1, 8, 32, 132, 528}) {
    const size_t part = blocks < 32 ? bytes / 16 : bytes;
    const double ms = median_ms(devices, [&](int device) {
      const int from = loads ? 1 - device : device, to = 1 - from;
      move<<<blocks, 512>>>(reinterpret_cast<T*>(all.on[to][device]),
                            reinterpret_cast<const T*>(all.on[from][device]), part / sizeof(T));
    });
    char what[100];
    snprintf(what, sizeof what, "%zu bytes, %d blocks, %s", sizeof(T), blocks,
             devices.size() == 1 ? "one way" : "both ways, each");
    tell_speed(what, part, ms);
  }
}

void loads() {
  const Buffers all = buffers();
  moves<int>(all, true, {0});
  moves<int4>(all, true, {0});
  moves<int4>(all, true, {0, 1});
}

void stores() {
  const Buffers all = buffers();
  moves<int>(all, false, {0});
  moves<int4>(all, false, {0});
  moves<int4>(all, false, {0, 1});
}

__global__ void chase(const int* next, int steps, int* last) {
  int at = 0;
  for (int i = 0; i < steps; ++i) at = *const_cast<const volatile int*>(next + at);
  *last = at;
}

/// Dependent loads, each of another line.
void latency() {
  connect();
  constexpr int steps = 10000, words = 1 << 24;
  int* const last = memory_on<int>(0);
  for (int home : {0, 1}) {
    int* const next = memory_on<int>(home, words);
    std::vector<int> chain(words);
    for (int i = 0, at = 0; i < steps; ++i) {
      const int to = static_cast<int>((static_cast<long long>(at) + 32 * 104729) % words);
      chain[at] = to;
      at = to;
    }
    cudaMemcpy(next, chain.data(), chain.size() * sizeof(int), cudaMemcpyDefault);
    const double ms = median_ms({0}, [&](int) { chase<<<1, 1>>>(next, steps, last); });
    printf("chip: latency of a load from %s: %.0f ns\n", home ? "the peer" : "the own L2",
           ms * 1e6 / steps);
  }
}

const Fact facts[] = {
    {"copy_engines", copy_engines},
    {"loads", loads},
    {"stores", stores},
    {"latency", latency},
};

}  // namespace

int main(int argc, char** argv) {
  return run_facts(facts, argc, argv);
}
