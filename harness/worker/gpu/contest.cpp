#include "worker/gpu/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "timing/table.h"
#include "worker/gpu/ceilings.h"
#include "worker/gpu/cuda_memory.h"
#include "worker/gpu/gpu_device.h"
#include "worker/gpu/measure.h"

namespace kata {
namespace {

/// A contestant's entry function, or why there is none.
struct Loaded {
  std::string name;
  void* entry = nullptr;
  std::string error = {};
};

Loaded load(const Contestant& contestant) {
  const Result<void*> entry = load_entry(contestant.module, contestant.entry);
  if (!entry) return {.name = contestant.name, .error = entry.error().message};
  return {.name = contestant.name, .entry = *entry};
}

/// Device memory for one shape, with random inputs.
struct Buffers {
  std::vector<DeviceFloats> inputs;
  std::vector<const float*> input_pointers;
  std::vector<std::size_t> input_counts;  ///< in whole granules
  DeviceFloats output;
  std::size_t output_count = 0;
};

std::size_t whole_granules(std::int64_t count) {
  const std::int64_t granule = CeilingKernels::granule;
  return static_cast<std::size_t>((count + granule - 1) / granule * granule);
}

void fill_inputs(const Buffers& buffers, std::uint64_t seed, const CeilingKernels& kernels) {
  for (std::size_t i = 0; i < buffers.inputs.size(); ++i) {
    kernels.fill(buffers.inputs[i].get(), static_cast<long long>(buffers.input_counts[i]),
                 static_cast<unsigned>(seed + 7919 * (i + 1)));
  }
}

Result<Buffers> make_buffers(const Problem& problem, const Shape& shape, std::uint64_t seed,
                             const CeilingKernels& kernels) {
  Buffers buffers;
  bool enough = true;
  for (const Tensor& tensor : problem.inputs) {
    const std::size_t floats = whole_granules(count(tensor.dims(shape)));
    buffers.inputs.push_back(allocate_floats(floats));
    enough = enough && buffers.inputs.back();
    if (!enough) break;
    buffers.input_counts.push_back(floats);
    buffers.input_pointers.push_back(buffers.inputs.back().get());
  }
  buffers.output_count = static_cast<std::size_t>(count(problem.output.dims(shape)));
  if (enough) buffers.output = allocate_floats(whole_granules(count(problem.output.dims(shape))));
  if (!buffers.output) {
    return Error{
        fmt::format("not timed: {} does not fit into this GPU's free memory", to_string(shape))};
  }
  fill_inputs(buffers, seed, kernels);
  return buffers;
}

/// Up to eight stretches of the output, the first and the last elements among them: enough to see
/// that the work was done, without copying all of it.
std::vector<float> sample_of(const Buffers& buffers) {
  constexpr std::size_t stretches = 8, most = 1024;
  const std::size_t length = std::min(most, buffers.output_count);
  std::vector<float> sample(stretches * length);
  for (std::size_t i = 0; i < stretches; ++i) {
    const std::size_t first = (buffers.output_count - length) * i / (stretches - 1);
    cudaMemcpy(&sample[i * length], buffers.output.get() + first, length * sizeof(float),
               cudaMemcpyDeviceToHost);
  }
  return sample;
}

/// ||got - want|| / ||want||
double relative_difference(const std::vector<float>& got, const std::vector<float>& want) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    difference += std::pow(static_cast<double>(got[i]) - static_cast<double>(want[i]), 2);
    norm += std::pow(static_cast<double>(want[i]), 2);
  }
  return std::sqrt(difference / norm);
}

/// Calls each once more, on inputs that it has not seen and a poisoned output, and compares a
/// sample of that with the first rung's: who replays an earlier result is found out here, too. The
/// judge decides what is right, with tolerances of the operator's; this only keeps the time of a
/// contestant that does not do the work out of the table, so the bound is wide: sums of 2^28
/// numbers differ by a percent where they nearly cancel.
void flag_broken(std::vector<Timed>& all, const Buffers& buffers, const Turn& turn) {
  constexpr double bound = 0.05;
  std::vector<std::vector<float>> samples(all.size());
  std::size_t reference = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].measured.error.empty()) continue;
    turn(all[i].measured.name);
    cudaMemset(buffers.output.get(), 0xff, buffers.output_count * sizeof(float));  // NaN
    cudaDeviceSynchronize();  // a stream of the contestant's own would not wait for it
    all[i].call();
    samples[i] = sample_of(buffers);
    cudaGetLastError();  // a failed call shows in the sample; it must not be blamed on the next
    if (reference == all.size() && all[i].measured.name != yours) reference = i;
  }
  if (reference == all.size()) return;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (samples[i].empty()) continue;
    const double difference = relative_difference(samples[i], samples[reference]);
    if (difference <= bound) continue;
    all[i].measured.error = fmt::format(
        "not timed: on these inputs its output is not that of {} (relative difference {:.2g})",
        all[reference].measured.name, difference);
  }
}

std::vector<Timed> contestants_at(const Shape& shape, const Problem& problem,
                                  const std::vector<Loaded>& loaded, const Buffers& buffers) {
  std::vector<Timed> all;
  for (const Loaded& one : loaded) {
    all.push_back(
        {{.name = one.name, .error = one.error}, [&problem, &shape, &buffers, entry = one.entry] {
           problem.signature.call(entry, buffers.input_pointers.data(), buffers.output.get(),
                                  shape.data());
         }});
  }
  return all;
}

/// What all sizes of a contest share.
struct Arena {
  cudaDeviceProp device;
  CeilingKernels kernels;
  Scratch scratch;
  double ffma_operations;  ///< per second
};

Result<Arena> open_arena(const Job& job, const Turn& turn) {
  const Result<cudaDeviceProp> device = open_gpu();
  if (!device) return device.error();
  const Result<CeilingKernels> kernels = load_ceiling_kernels(job.ceilings_module);
  if (!kernels) return kernels.error();
  Result<Scratch> scratch = allocate_scratch(*device);
  if (!scratch) return scratch.error();
  const Result<double> ffma = measure_ffma(*kernels, *scratch, *device, turn);
  if (!ffma) return ffma.error();
  kernels->fill(scratch->source(), scratch->floats, 1);
  return Arena{*device, *kernels, std::move(*scratch), *ffma};
}

/// The table at one size. What moves the same bytes is measured in turn with the contestants, so
/// that the limit holds under their conditions.
std::vector<TimingRow> time_at(const Shape& shape, const Problem& problem,
                               const std::vector<Loaded>& loaded, const Arena& arena,
                               std::uint64_t seed, const Turn& turn) {
  const Cost cost = problem.cost(shape);
  const Result<Buffers> buffers = make_buffers(problem, shape, seed, arena.kernels);
  std::vector<Timed> all;
  if (buffers) all = contestants_at(shape, problem, loaded, *buffers);
  const auto contestants = static_cast<std::ptrdiff_t>(all.size());
  for (Timed& mover : memory_contestants(cost, arena.kernels, arena.scratch)) {
    all.push_back(std::move(mover));
  }
  measure(all, arena.scratch.l2_flush(), {}, arena.device, turn);
  const std::vector<Timed> movers(all.begin() + contestants, all.end());
  all.resize(static_cast<std::size_t>(contestants));

  std::vector<Measured> measured;
  if (buffers) {
    fill_inputs(*buffers, ~seed, arena.kernels);
    flag_broken(all, *buffers, turn);
    for (Timed& one : all) measured.push_back(std::move(one.measured));
  } else {
    for (const Loaded& one : loaded) measured.push_back({one.name, {}, buffers.error().message});
  }
  const std::vector<double> memory = memory_samples(movers, cost, arena.scratch);
  return table(measured, to_string(shape), cost, limit(cost, memory, arena.ffma_operations));
}

}  // namespace

std::optional<Error> run_contest(const Job& job, const Problem& problem, const TimeEvents& events) {
  const Result<Arena> arena = open_arena(job, events.turn);
  if (!arena) return arena.error();

  std::vector<Loaded> loaded;
  for (const Contestant& contestant : job.contestants) {
    events.turn(contestant.name);
    loaded.push_back(load(contestant));
  }

  for (const Shape& shape : job.shapes) {
    for (const TimingRow& row : time_at(shape, problem, loaded, *arena, job.seed, events.turn)) {
      events.row(row);
    }
    if (cudaDeviceSynchronize() != cudaSuccess) break;  // the rows say who left the GPU unusable
  }
  return std::nullopt;
}

}  // namespace kata
