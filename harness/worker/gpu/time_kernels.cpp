#include "worker/gpu/time_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "judge/judge.h"
#include "timing/statistics.h"
#include "timing/table.h"
#include "timing/true_time.h"
#include "worker/gpu/ceilings.h"
#include "worker/gpu/check_samples.h"
#include "worker/gpu/gpu_device.h"
#include "worker/gpu/measure.h"
#include "worker/gpu/peers.h"
#include "worker/gpu/timed_buffers.h"

namespace kata {
namespace {

/// A kernel's entry function, or why there is none.
struct Loaded {
  RowKind kind = RowKind::rung;
  std::string name;
  void* entry = nullptr;
  bool timed = true;
  std::string error = {};
  double s_per_operation = 0;                        ///< at the last size; 0 before the first
  std::vector<DeviceArray<std::byte>> scratch = {};  ///< by device, as long as the job lasts
};

/// Scratch memory for the largest of the sizes, of a function alone: flags of another one would
/// mislead it.
std::optional<Error> add_scratch(const Problem& problem, const std::vector<Shape>& shapes,
                                 std::size_t devices, Loaded& loaded) {
  const Parameter* const parameter = scratch_of(problem);
  if (!parameter) return {};
  std::size_t bytes = zeroed_scratch;
  for (const Shape& shape : shapes) bytes = std::max(bytes, parameter->bytes(shape));
  for (std::size_t device = 0; device < devices; ++device) {
    const OnDevice current(static_cast<int>(device));
    loaded.scratch.push_back(allocate_array<std::byte>(bytes));
    if (!loaded.scratch.back()) return Error{"not timed: no room for its scratch memory"};
    cudaMemset(loaded.scratch.back().get(), 0xff, bytes);
    cudaMemset(loaded.scratch.back().get(), 0, zeroed_scratch);
  }
  return {};
}

Loaded load(const TimedKernel& kernel) {
  Loaded loaded{.kind = kernel.kind, .name = kernel.name, .timed = kernel.timed};
  const Result<void*> entry = load_entry(kernel.module, kernel.entry);
  if (entry) {
    loaded.entry = *entry;
  } else {
    loaded.error = entry.error().message;
  }
  return loaded;
}

/// Why a kernel cannot be timed here: it has no entry, or its rate at the sizes before says that
/// one call would take longer than the limit. Empty if it can.
std::string why_not_at(const Shape& shape, const Problem& problem, const Loaded& one,
                       double limit_s) {
  if (!one.error.empty()) return one.error;
  const double call_s = one.s_per_operation * work(problem, {shape});
  if (call_s <= limit_s) return "";
  return fmt::format("not timed: one call here would take about {:.2g} s", call_s);
}

/// The kernels at one size, and what their calls left in the outputs.
struct Race {
  std::vector<Timed> all;
  std::vector<std::vector<Witness>> witnesses;  ///< of each kernel, warm-up included
};

/// What the caller of an operator on several devices has for it, besides the tensors.
Arguments with_devices(Arguments arguments, const Loaded& loaded,
                       const std::vector<cudaStream_t>& streams) {
  arguments.streams.assign(streams.begin(), streams.end());
  for (const auto& part : loaded.scratch) arguments.scratch.push_back(part.get());
  return arguments;
}

void add_kernels(const Shape& shape, const Problem& problem, const std::vector<Loaded>& loaded,
                 const TimedBuffers& buffers, const std::vector<cudaStream_t>& streams,
                 double limit_s, Race& race) {
  race.witnesses.resize(loaded.size());
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    const Loaded& one = loaded[i];
    race.all.push_back(
        {{.kind = one.kind, .name = one.name, .error = why_not_at(shape, problem, one, limit_s)},
         [&problem, entry = one.entry,
          arguments = with_devices(buffers.arguments(), one, streams)] {
           problem.signature.call(entry, arguments);
         },
         [&buffers](std::uint64_t seed) { buffers.renew(seed); },
         [&buffers](std::uint64_t seed) { buffers.enqueue_picks(seed); },
         [&buffers, &witnesses = race.witnesses[i]](std::uint64_t seed) {
           witnesses.push_back({seed, buffers.picked()});
         },
         !one.timed});
  }
}

void remember_rates(const std::vector<Timed>& all, double operations, std::vector<Loaded>& loaded) {
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    const std::vector<double>& us = all[i].measured.samples_us;
    if (!us.empty()) loaded[i].s_per_operation = std::ranges::min(us) * 1e-6 / operations;
  }
}

/// What all sizes of a timing job share.
struct Arena {
  cudaDeviceProp device;
  CeilingKernels kernels;
  std::vector<cudaStream_t> streams = {};  ///< by device, of an operator on several
  std::vector<Scratch> scratch = {};       ///< by device
  ArithmeticRate arithmetic = {};
};

Result<Arena> open_arena(const Job& job, const Problem& problem, const Turn& turn) {
  const Result<cudaDeviceProp> device = open_gpu();
  if (!device) return device.error();
  const Result<CeilingKernels> kernels = load_ceiling_kernels(job.ceilings_module);
  if (!kernels) return kernels.error();
  Arena arena{.device = *device, .kernels = *kernels};
  if (uses_devices(problem)) arena.streams = open_devices();
  for (std::size_t i = 0; i < std::max<std::size_t>(1, arena.streams.size()); ++i) {
    const OnDevice current(static_cast<int>(i));
    Result<Scratch> scratch = allocate_scratch(*device);
    if (!scratch) return scratch.error();
    kernels->fill(scratch->source(), scratch->floats, 1);
    kernels->fill(scratch->flushing.get(), scratch->flushing_floats, 2);
    arena.scratch.push_back(std::move(*scratch));
  }
  const Result<ArithmeticRate> arithmetic = measure_arithmetic(
      problem.cost(job.shapes.at(0)).unit, *kernels, arena.scratch.front(), *device, turn);
  if (!arithmetic) return arithmetic.error();
  arena.arithmetic = *arithmetic;
  return arena;
}

/// Of the first so many devices.
L2Flush flush_of(const Arena& arena, std::size_t devices) {
  return [&arena, devices] {
    for (std::size_t i = 0; i < devices; ++i) {
      const OnDevice current(static_cast<int>(i));
      l2_flush(arena.kernels, arena.scratch[i])();
    }
  };
}

/// A time below what the hardware needs is an error.
void refuse_impossible(Measured& measured, const Cost& cost, const Peak& peak) {
  if (!measured.error.empty() || measured.samples_us.empty()) return;
  measured.error = why_impossible(summarize(measured.samples_us).median, cost, peak);
  measured.invalid = !measured.error.empty();
}

struct IdleTimes {
  IdleCalls yours;
  double outside_us = 0;
};

/// Calls yours and, beside it, nothing on an idle GPU. Again, if work seems to go on after the
/// calls: other programs may hold up the host for a while.
IdleTimes measure_idle_beside_nothing(Timed& yours, int calls, const Conditions& conditions) {
  Timed nothing{{.kind = RowKind::limit, .name = "nothing"}, [] {}, yours.before, yours.behind};
  IdleTimes times;
  constexpr int attempts = 3;
  for (int i = 0; i < attempts && yours.measured.error.empty(); ++i) {
    const IdleCalls empty = measure_idle(nothing, calls, conditions);
    times.yours = measure_idle(yours, calls, conditions);
    times.outside_us = outside_us(times.yours.least, empty.least);
    if (times.outside_us == 0) break;
  }
  return times;
}

/// Notes whether the times of its calls are those of its work.
void prove(Timed& yours, const Conditions& conditions) {
  Measured& measured = yours.measured;
  if (!measured.error.empty()) return;
  constexpr double most_us = 2e5;  // of all calls
  const double us = summarize(measured.samples_us).median;
  const int calls = std::clamp(static_cast<int>(most_us / std::max(us, 1.0)), 3, 10);
  const IdleTimes idle = measure_idle_beside_nothing(yours, calls, conditions);
  if (!measured.error.empty()) return;
  if (idle.yours.threads_left > 0) {
    measured.error = fmt::format(
        "not timed: threads of the host that it started still run when its call has returned "
        "({}), and what they do is in no time: join them",
        idle.yours.threads_left);
  } else if (idle.outside_us > 0) {
    measured.error = fmt::format(
        "not timed: work goes on for {:.3g} us after its call, where the default stream does not "
        "wait for it: call cudaStreamSynchronize, or make the default stream wait for an event",
        idle.outside_us);
  } else if (ran_ahead(us, idle.yours.least)) {
    measured.samples_us = idle.yours.events_us;
  }
  measured.invalid = !measured.error.empty();
}

/// Leaves those of timed calls.
void forget_warm_up(std::vector<Witness>& witnesses, std::size_t timed) {
  const auto warm_up = static_cast<std::ptrdiff_t>(witnesses.size() - timed);
  witnesses.erase(witnesses.begin(), witnesses.begin() + warm_up);
}

/// Whether the kernels' times can be true: those of yours by more rules than the others'.
void check_times(Race& race, const TimedBuffers& buffers, const Conditions& conditions,
                 const Cost& cost, const Peak& peak) {
  for (std::size_t i = 0; i < race.all.size(); ++i) {
    Timed& one = race.all[i];
    forget_warm_up(race.witnesses[i], one.measured.samples_us.size());
    // On several devices what comes next in their streams waits for all work.
    if (one.measured.kind == RowKind::yours && conditions.streams.empty()) prove(one, conditions);
  }
  if (cudaDeviceSynchronize() == cudaSuccess)
    check_samples(race.all, race.witnesses, buffers, conditions);
  for (Timed& one : race.all) refuse_impossible(one.measured, cost, peak);
}

/// No times, for one reason.
std::vector<Measured> no_times(const std::vector<Loaded>& loaded, const std::string& why) {
  std::vector<Measured> measured;
  for (const Loaded& one : loaded)
    if (one.timed) measured.push_back({one.kind, one.name, {}, why});
  return measured;
}

/// How calls are made at a size: on the default stream, or on the first so many devices.
Conditions conditions_at(const Arena& arena, const Job& job, const TimeEvents& events,
                         const Cost& cost, int devices, Gate& gate) {
  Conditions conditions{.flush = flush_of(arena, static_cast<std::size_t>(devices)),
                        .device = arena.device,
                        .turn = events.turn,
                        .seed = job.seed};
  if (arena.streams.empty()) return conditions;
  constexpr double small = 4e6;  // bytes: such calls are made in a row, as programs do
  conditions.streams.assign(arena.streams.begin(), arena.streams.begin() + devices);
  conditions.gate = &gate;
  if (cost.link_bytes < small) conditions.calls_in_a_row = 10;
  return conditions;
}

/// The table at one size. What moves the same bytes is measured in turn with the kernels, so
/// that the limit holds under their conditions.
std::vector<TimingRow> time_at(const Shape& shape, const Problem& problem,
                               std::vector<Loaded>& loaded, const Arena& arena, const Job& job,
                               const TimeEvents& events) {
  const int devices = devices_of(problem, shape);
  if (devices > device_count()) {
    const std::string why =
        fmt::format("not timed: needs {} GPUs, and {} are here", devices, device_count());
    return table(no_times(loaded, why), to_string(shape), {}, {});
  }
  const Cost cost = of_each_device(problem.cost(shape), devices);
  events.ended();
  const Result<TimedBuffers> buffers = TimedBuffers::make(problem, shape, job.seed, arena.kernels);
  Gate gate(arena.kernels.gate);
  const Conditions conditions = conditions_at(arena, job, events, cost, devices, gate);
  Race race;
  if (buffers) {
    add_kernels(shape, problem, loaded, *buffers, conditions.streams, job.time_limit_s / 2, race);
  }
  std::vector<Timed>& all = race.all;
  const auto kernels = static_cast<std::ptrdiff_t>(all.size());
  const Scratch& scratch = arena.scratch.front();
  for (Timed& mover : cost.link_bytes > 0
                          ? link_kernels(cost, arena.kernels, arena.scratch, conditions.streams)
                          : memory_kernels(cost, arena.kernels, scratch)) {
    all.push_back(std::move(mover));
  }
  measure(all, {}, conditions);
  const std::vector<Timed> movers(all.begin() + kernels, all.end());
  all.resize(static_cast<std::size_t>(kernels));

  std::vector<Measured> measured;
  if (buffers) {
    check_times(race, *buffers, conditions, cost, peak_of(arena.device, arena.arithmetic));
    remember_rates(all, work(problem, {shape}), loaded);
    for (Timed& one : all)
      if (!one.only_compared) measured.push_back(std::move(one.measured));
  } else {
    measured = no_times(loaded, buffers.error().message);
  }
  const std::vector<double> memory = memory_samples(movers, cost, scratch);
  return table(measured, to_string(shape), cost, limit(cost, memory, arena.arithmetic));
}

}  // namespace

std::optional<Error> time_kernels(const Job& job, const Problem& problem,
                                  const TimeEvents& events) {
  const Result<Arena> arena = open_arena(job, problem, events.turn);
  if (!arena) return arena.error();

  std::vector<Loaded> loaded;
  for (const TimedKernel& kernel : job.kernels) {
    events.turn(kernel.name);
    loaded.push_back(load(kernel));
    if (auto error = add_scratch(problem, job.shapes, arena->streams.size(), loaded.back()))
      loaded.back().error = error->message;
  }

  for (const Shape& shape : job.shapes) {
    for (const TimingRow& row : time_at(shape, problem, loaded, *arena, job, events)) {
      events.row(row);
    }
    if (cudaDeviceSynchronize() != cudaSuccess) break;  // the rows say who left the GPU unusable
  }
  return std::nullopt;
}

}  // namespace kata
