#include "worker/gpu/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "worker/gpu/cuda_error.h"
#include "worker/gpu/cuda_memory.h"

namespace kata {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool device_lost() {
  cudaGetLastError();
  return cudaDeviceSynchronize() != cudaSuccess;
}

void note_failure(cudaError_t error, const cudaDeviceProp& device, Measured& measured) {
  if (error == cudaSuccess) return;
  measured.error = explain(error, device).message;
  measured.failed = true;
}

/// Waits for what was enqueued, and returns the first error of its launches and kernels.
cudaError_t finish() {
  const cudaError_t refused = cudaGetLastError();
  const cudaError_t while_running = cudaDeviceSynchronize();
  return refused == cudaSuccess ? while_running : refused;
}

void restore(const Timed& one) {
  if (one.restore) one.restore();
}

/// Calls it until the warm-up's time is over; returns how long one repetition takes. The very first
/// call loads the module and may set up a library, so it does not count.
double warm_up(Timed& one, const L2Flush& flush, const Effort& effort, const cudaDeviceProp& device,
               const Turn& turn) {
  turn(one.measured.name);
  restore(one);
  one.call();
  note_failure(finish(), device, one.measured);
  turn(one.measured.name);
  const auto start = Clock::now();
  int calls = 0;
  while (one.measured.error.empty() && (calls == 0 || seconds_since(start) < effort.warm_up_s)) {
    restore(one);
    flush();
    one.call();
    note_failure(finish(), device, one.measured);
    ++calls;
  }
  return seconds_since(start) / std::max(calls, 1);
}

void give_up(std::vector<Timed>& all, const std::string& why) {
  for (Timed& one : all) {
    one.measured.samples_us.clear();
    if (one.measured.error.empty()) one.measured.error = why;
  }
}

/// How long a repetition of each takes; 0 for one that failed, and for all if the device is lost.
std::vector<double> warm_up_all(std::vector<Timed>& all, const L2Flush& flush, const Effort& effort,
                                const cudaDeviceProp& device, const Turn& turn) {
  std::vector<double> repetition_s(all.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    Measured& measured = all[i].measured;
    if (!measured.error.empty()) continue;
    const double seconds = warm_up(all[i], flush, effort, device, turn);
    if (measured.error.empty()) {
      repetition_s[i] = seconds;
    } else if (device_lost()) {
      give_up(all, fmt::format("not timed: {} left the GPU unusable", measured.name));
      return std::vector<double>(all.size(), 0);
    }
  }
  return repetition_s;
}

std::vector<std::size_t> order_of(const std::vector<double>& repetition_s, const Effort& effort) {
  std::vector<int> counts;
  for (double seconds : repetition_s) {
    counts.push_back(seconds > 0 ? sample_count(seconds, effort) : 0);
  }
  return in_turn(counts);
}

struct Repetition {
  Event before = create_event(), after = create_event();
};

void enqueue(Timed& one, const L2Flush& flush, const Repetition& repetition,
             const cudaDeviceProp& device) {
  if (!one.measured.error.empty()) return;
  restore(one);
  flush();  // keeps the GPU busy while the call below is enqueued
  cudaEventRecord(repetition.before.get());
  one.call();
  cudaEventRecord(repetition.after.get());
  note_failure(cudaGetLastError(), device, one.measured);
}

void collect(Timed& one, const Repetition& repetition) {
  if (!one.measured.error.empty()) return;
  float ms = 0;
  cudaEventElapsedTime(&ms, repetition.before.get(), repetition.after.get());
  one.measured.samples_us.push_back(1e3 * static_cast<double>(ms));
}

}  // namespace

void measure(std::vector<Timed>& all, const L2Flush& flush, const Effort& effort,
             const cudaDeviceProp& device, const Turn& turn) {
  const std::vector<double> repetition_s = warm_up_all(all, flush, effort, device, turn);
  const std::vector<std::size_t> order = order_of(repetition_s, effort);
  std::array<Repetition, 16> repetitions;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    // A batch is enqueued without waiting, then read. Short ones, or the watchdog would bark.
    turn("all in turn");
    double expected_s = 0;
    while (end < order.size() && end - begin < repetitions.size() && expected_s < 1) {
      enqueue(all[order[end]], flush, repetitions[end - begin], device);
      expected_s += repetition_s[order[end++]];
    }
    if (const cudaError_t error = finish(); error != cudaSuccess) {
      return give_up(all, "not timed: while all ran in turn, one of them failed with " +
                              explain(error, device).message);
    }
    for (std::size_t i = begin; i < end; ++i) collect(all[order[i]], repetitions[i - begin]);
  }
}

}  // namespace kata
