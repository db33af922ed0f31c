#include "worker/gpu/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

#include "problems/spec/random.h"
#include "worker/gpu/cuda_error.h"
#include "worker/gpu/cuda_memory.h"
#include "worker/gpu/host_threads.h"

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

/// Waits for what was enqueued, and returns the first error of its launches and kernels.
cudaError_t finish(const Conditions& conditions) {
  const cudaError_t refused = cudaGetLastError();
  const cudaError_t while_running =
      finish_devices(std::max<std::size_t>(1, conditions.streams.size()));
  return refused == cudaSuccess ? while_running : refused;
}

/// Events around the calls of a sample, in the default stream or in the streams of all devices.
class Stopwatch {
 public:
  explicit Stopwatch(const Conditions& conditions) : conditions_(conditions) {
    std::vector<cudaStream_t> streams = conditions.streams;
    if (streams.empty()) streams.push_back(nullptr);
    for (std::size_t device = 0; device < streams.size(); ++device) {
      const OnDevice current(static_cast<int>(device));
      places_.push_back({streams[device], create_event(), create_event()});
    }
  }

  void start() const {
    on_each([&](const Place& place) {
      if (conditions_.gate) conditions_.gate->close(place.stream);
      cudaEventRecord(place.before.get(), place.stream);
    });
  }

  void stop() const {
    on_each([](const Place& place) { cudaEventRecord(place.after.get(), place.stream); });
    if (conditions_.gate) conditions_.gate->open();
  }

  /// Of one call, when all has ended.
  double us() const {
    float most_ms = 0;
    for (const Place& place : places_) {
      float ms = 0;
      cudaEventElapsedTime(&ms, place.before.get(), place.after.get());
      most_ms = std::max(most_ms, ms);
    }
    return 1e3 * static_cast<double>(most_ms) / conditions_.calls_in_a_row;
  }

 private:
  struct Place {
    cudaStream_t stream;
    Event before, after;
  };

  template <class Function>
  void on_each(Function function) const {
    for (std::size_t device = 0; device < places_.size(); ++device) {
      const OnDevice current(static_cast<int>(device));
      function(places_[device]);
    }
  }

  const Conditions& conditions_;
  std::vector<Place> places_;  ///< by device
};

/// What a candidate wants to keep in the L2 goes with the flush, as everything else.
void let_go_of_l2() {
  std::size_t set_aside = 0;
  if (cudaDeviceGetLimit(&set_aside, cudaLimitPersistingL2CacheSize) == cudaSuccess &&
      set_aside > 0) {
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
  }
  cudaCtxResetPersistingL2Cache();
  cudaGetLastError();  // a GPU without such a cache
}

/// Whether the GPU still flushes the L2 while the call is enqueued, so that it does not wait for
/// the host.
enum class Gpu { busy, idle };

struct CallTimes {
  double events_us = 0, wall_us = 0;
  int threads = 0;
};

class Sampler {
 public:
  /// Samplers with different streams make different inputs.
  Sampler(const Conditions& conditions, std::uint64_t stream)
      : conditions_(conditions),
        seeds_(Random(conditions.seed).stream(stream)),
        stopwatch_(conditions) {}

  /// One call with its surroundings. A failure is noted in one.measured.
  CallTimes take(Timed& one, Gpu gpu) {
    const bool has_streams = !conditions_.streams.empty();  // which do not wait for the flush
    const std::uint64_t seed = seeds_.word(taken_++);
    conditions_.turn(one.measured.name);
    if (one.before) one.before(seed);
    let_go_of_l2();
    conditions_.flush();
    if (gpu == Gpu::idle || has_streams) finish(conditions_);
    const auto start = Clock::now();
    stopwatch_.start();
    for (int i = 0; i < conditions_.calls_in_a_row; ++i) one.call();
    stopwatch_.stop();
    CallTimes sample{.threads = running_threads()};
    if (one.behind) one.behind(seed);
    const cudaError_t error = finish(conditions_);
    sample.wall_us = 1e6 * seconds_since(start);
    if (error != cudaSuccess) {
      one.measured.error = explain(error, conditions_.device).message;
      one.measured.failed = true;
      return sample;
    }
    sample.events_us = stopwatch_.us();
    if (one.after) one.after(seed);
    return sample;
  }

 private:
  const Conditions& conditions_;
  Random seeds_;
  Stopwatch stopwatch_;
  std::uint64_t taken_ = 0;
};

/// Calls it until the warm-up's time is over; returns how long one repetition takes. The very first
/// call loads the module and may set up a library, so it does not count.
double warm_up(Timed& one, const Effort& effort, Sampler& sampler) {
  sampler.take(one, Gpu::busy);
  const auto start = Clock::now();
  int calls = 0;
  while (one.measured.error.empty() && (calls == 0 || seconds_since(start) < effort.warm_up_s)) {
    sampler.take(one, Gpu::busy);
    ++calls;
  }
  return seconds_since(start) / std::max(calls, 1);
}

/// What took the GPU down has its own error; the others get one that names it.
void give_up(std::vector<Timed>& all, const std::string& name) {
  for (Timed& one : all) {
    one.measured.samples_us.clear();
    if (one.measured.error.empty())
      one.measured.error = fmt::format("not timed: {} left the GPU unusable", name);
  }
}

}  // namespace

void measure(std::vector<Timed>& all, const Effort& effort, const Conditions& conditions) {
  Sampler sampler(conditions, 0);
  std::vector<int> counts(all.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Measured& measured = all[i].measured;
    if (!measured.error.empty() || all[i].only_compared) continue;
    const double seconds = warm_up(all[i], effort, sampler);
    if (measured.error.empty()) {
      counts[i] = sample_count(seconds, effort);
    } else if (device_lost()) {
      return give_up(all, measured.name);
    }
  }
  for (const std::size_t i : in_turn(counts)) {
    Timed& one = all[i];
    if (!one.measured.error.empty()) continue;
    const double us = sampler.take(one, Gpu::busy).events_us;
    if (one.measured.error.empty()) {
      one.measured.samples_us.push_back(us);
    } else if (device_lost()) {
      return give_up(all, one.measured.name);
    }
  }
}

IdleCalls measure_idle(Timed& one, int count, const Conditions& conditions) {
  constexpr double most = std::numeric_limits<double>::max();
  IdleCalls calls{.least = {most, most}, .events_us = {}};
  Sampler sampler(conditions, 1);
  for (int i = 0; i < count; ++i) {
    const CallTimes taken = sampler.take(one, Gpu::idle);
    if (!one.measured.error.empty()) return calls;
    calls.least.events_us = std::min(calls.least.events_us, taken.events_us);
    calls.least.wall_us = std::min(calls.least.wall_us, taken.wall_us);
    calls.events_us.push_back(taken.events_us);
    calls.threads_left = std::max(calls.threads_left, taken.threads);
  }
  return calls;
}

}  // namespace kata
