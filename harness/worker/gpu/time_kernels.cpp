#include "worker/gpu/time_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "judge/judge.h"
#include "timing/table.h"
#include "worker/gpu/ceilings.h"
#include "worker/gpu/cuda_memory.h"
#include "worker/gpu/gpu_device.h"
#include "worker/gpu/measure.h"

namespace kata {
namespace {

/// A kernel's entry function, or why there is none.
struct Loaded {
  RowKind kind = RowKind::rung;
  std::string name;
  void* entry = nullptr;
  std::string error = {};
  double s_per_operation = 0;  ///< at the last size; 0 before the first
};

Loaded load(const TimedKernel& kernel) {
  const Result<void*> entry = load_entry(kernel.module, kernel.entry);
  if (!entry) return {.kind = kernel.kind, .name = kernel.name, .error = entry.error().message};
  return {.kind = kernel.kind, .name = kernel.name, .entry = *entry};
}

/// Device memory of one tensor.
struct DeviceTensor {
  const Parameter* parameter = nullptr;
  std::size_t count = 0;  ///< elements
  DeviceArray<std::byte> memory = nullptr;
  DeviceArray<std::byte> initial = nullptr;  ///< of an in-out buffer: what it holds before a call

  std::size_t bytes() const { return count * size_of(parameter->type); }
  bool is_drawn() const { return parameter->kind != Parameter::Kind::output; }
  bool is_compared() const { return parameter->kind != Parameter::Kind::input; }
};

/// Device memory for one shape, with random inputs.
struct Buffers {
  std::vector<DeviceTensor> tensors;  ///< in the order of the signature
  Arguments arguments;

  /// In-out buffers become what they were.
  void restore() const {
    for (const DeviceTensor& tensor : tensors) {
      if (!tensor.initial) continue;
      cudaMemcpyAsync(tensor.memory.get(), tensor.initial.get(), tensor.bytes(),
                      cudaMemcpyDeviceToDevice);
    }
  }
};

/// In bytes: the kernel that fills them writes whole granules.
std::size_t whole_granules(std::size_t bytes) {
  const std::size_t granule = CeilingKernels::granule * sizeof(float);
  return (bytes + granule - 1) / granule * granule;
}

void upload(const DeviceTensor& tensor, const Array& host) {
  cudaMemcpy(tensor.memory.get(), host.bytes().data(), host.bytes().size(), cudaMemcpyHostToDevice);
}

/// Elements without a rule of their own: floats from the GPU, of other types a block that repeats.
void fill(const DeviceTensor& tensor, const Case& one_case, const Random& random,
          const CeilingKernels& kernels) {
  if (tensor.parameter->type == Type::f32) {
    const std::size_t floats = whole_granules(tensor.bytes()) / sizeof(float);
    kernels.fill(reinterpret_cast<float*>(tensor.memory.get()), static_cast<long long>(floats),
                 static_cast<unsigned>(random.word(0)));
    return;
  }
  Array block(tensor.parameter->type, std::min(tensor.count, std::size_t{1} << 20));
  draw::as_the_case_says()(block, one_case, random);
  upload(tensor, block);
  for (std::size_t filled = block.bytes().size(); filled < tensor.bytes();) {
    const std::size_t more = std::min(filled, tensor.bytes() - filled);
    cudaMemcpyAsync(tensor.memory.get() + filled, tensor.memory.get(), more,
                    cudaMemcpyDeviceToDevice);
    filled += more;
  }
}

void fill_inputs(const Problem& problem, const Shape& shape, const Buffers& buffers,
                 std::uint64_t seed, const CeilingKernels& kernels) {
  const Case one_case{shape, Values::uniform, arguments_of(problem, {shape}).reals};
  const Inputs arranged = problem.arrange ? make_inputs(problem, one_case, seed) : Inputs{};
  std::size_t input = 0;
  for (const DeviceTensor& tensor : buffers.tensors) {
    if (!tensor.is_drawn()) continue;
    const Random random = Random(seed).stream(++input);
    if (problem.arrange) {
      upload(tensor, arranged[input - 1]);
    } else if (tensor.parameter->draw) {
      Array host(tensor.parameter->type, tensor.count);
      tensor.parameter->draw(host, one_case, random);
      upload(tensor, host);
    } else {
      fill(tensor, one_case, random, kernels);
    }
    if (tensor.initial) {
      cudaMemcpyAsync(tensor.initial.get(), tensor.memory.get(), tensor.bytes(),
                      cudaMemcpyDeviceToDevice);
    }
  }
}

Result<Buffers> make_buffers(const Problem& problem, const Shape& shape, std::uint64_t seed,
                             const CeilingKernels& kernels) {
  Buffers buffers{.tensors = {}, .arguments = arguments_of(problem, {shape})};
  for (const Parameter& parameter : problem.signature.tensors) {
    DeviceTensor tensor{.parameter = &parameter, .count = elements(parameter, shape)};
    const std::size_t bytes = whole_granules(tensor.bytes());
    const bool in_out = parameter.kind == Parameter::Kind::in_out;
    tensor.memory = allocate_array<std::byte>(bytes);
    if (in_out && tensor.memory) tensor.initial = allocate_array<std::byte>(bytes);
    if (!tensor.memory || (in_out && !tensor.initial)) {
      return Error{
          fmt::format("not timed: {} does not fit into this GPU's free memory", to_string(shape))};
    }
    buffers.arguments.tensors.push_back(tensor.memory.get());
    buffers.tensors.push_back(std::move(tensor));
  }
  fill_inputs(problem, shape, buffers, seed, kernels);
  return buffers;
}

/// Up to eight stretches of an output, the first and the last elements among them: enough to see
/// that the work was done, without copying all of it.
Array sample_of(const DeviceTensor& tensor) {
  constexpr std::size_t stretches = 8, most = 1024;
  const std::size_t length = std::min(most, tensor.count);
  const std::size_t size = size_of(tensor.parameter->type);
  Array sample(tensor.parameter->type, stretches * length);
  for (std::size_t i = 0; i < stretches; ++i) {
    const std::size_t first = (tensor.count - length) * i / (stretches - 1);
    cudaMemcpy(&sample.bytes()[i * length * size], tensor.memory.get() + first * size,
               length * size, cudaMemcpyDeviceToHost);
  }
  return sample;
}

/// ||got - want|| / ||want||. What `want` leaves unwritten may hold anything.
double relative_difference(const Array& got, const Array& want) {
  double difference = 0, norm = 0;
  bool any = false;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i])) continue;
    any = true;
    difference += std::pow(got[i] - want[i], 2);
    norm += std::pow(want[i], 2);
  }
  return any && difference == 0 ? 0 : std::sqrt(difference / norm);
}

/// The outputs of one call on poisoned outputs.
std::vector<Array> samples_of_call(const Timed& one, const Buffers& buffers) {
  for (const DeviceTensor& tensor : buffers.tensors) {
    if (!tensor.is_drawn()) cudaMemset(tensor.memory.get(), 0xff, tensor.bytes());  // NaN, or -1
  }
  buffers.restore();
  cudaDeviceSynchronize();  // a stream of the kernel's own would not wait for it
  one.call();
  std::vector<Array> samples;
  for (const DeviceTensor& tensor : buffers.tensors) {
    if (tensor.is_compared()) samples.push_back(sample_of(tensor));
  }
  cudaGetLastError();  // a failed call shows in the sample; it must not be blamed on the next
  return samples;
}

/// Calls each once more, on inputs that it has not seen and a poisoned output, and compares a
/// sample of that with the first rung's: who replays an earlier result is found out here, too. The
/// judge decides what is right, with tolerances of the operator's; this only keeps the time of a
/// kernel that does not do the work out of the table, so the bound is wide: sums of 2^28
/// numbers differ by a percent where they nearly cancel.
void flag_broken(std::vector<Timed>& all, const Buffers& buffers, const Turn& turn) {
  constexpr double bound = 0.05;
  std::vector<std::vector<Array>> samples(all.size());
  std::size_t reference = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].measured.error.empty()) continue;
    turn(all[i].measured.name);
    samples[i] = samples_of_call(all[i], buffers);
    if (reference == all.size() && all[i].measured.kind != RowKind::yours) reference = i;
  }
  if (reference == all.size()) return;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t o = 0; o < samples[i].size(); ++o) {
      const double difference = relative_difference(samples[i][o], samples[reference][o]);
      if (difference <= bound) continue;
      all[i].measured.error = fmt::format(
          "not timed: on these inputs its output is not that of {} (relative difference {:.2g})",
          all[reference].measured.name, difference);
      break;
    }
  }
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

std::vector<Timed> kernels_at(const Shape& shape, const Problem& problem,
                              const std::vector<Loaded>& loaded, const Buffers& buffers,
                              double limit_s) {
  std::vector<Timed> all;
  for (const Loaded& one : loaded) {
    all.push_back(
        {{.kind = one.kind, .name = one.name, .error = why_not_at(shape, problem, one, limit_s)},
         [&problem, &buffers, entry = one.entry] {
           problem.signature.call(entry, buffers.arguments);
         },
         [&buffers] { buffers.restore(); }});
  }
  return all;
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
  Scratch scratch;
  ArithmeticRate arithmetic;
};

Result<Arena> open_arena(const Job& job, ArithmeticUnit unit, const Turn& turn) {
  const Result<cudaDeviceProp> device = open_gpu();
  if (!device) return device.error();
  const Result<CeilingKernels> kernels = load_ceiling_kernels(job.ceilings_module);
  if (!kernels) return kernels.error();
  Result<Scratch> scratch = allocate_scratch(*device);
  if (!scratch) return scratch.error();
  const Result<ArithmeticRate> arithmetic =
      measure_arithmetic(unit, *kernels, *scratch, *device, turn);
  if (!arithmetic) return arithmetic.error();
  kernels->fill(scratch->source(), scratch->floats, 1);
  kernels->fill(scratch->flushing.get(), scratch->flushing_floats, 2);
  return Arena{*device, *kernels, std::move(*scratch), *arithmetic};
}

/// The table at one size. What moves the same bytes is measured in turn with the kernels, so
/// that the limit holds under their conditions.
std::vector<TimingRow> time_at(const Shape& shape, const Problem& problem,
                               std::vector<Loaded>& loaded, const Arena& arena, const Job& job,
                               const TimeEvents& events) {
  const Cost cost = problem.cost(shape);
  events.ended();
  const Result<Buffers> buffers = make_buffers(problem, shape, job.seed, arena.kernels);
  std::vector<Timed> all;
  if (buffers) all = kernels_at(shape, problem, loaded, *buffers, job.time_limit_s / 2);
  const auto kernels = static_cast<std::ptrdiff_t>(all.size());
  for (Timed& mover : memory_kernels(cost, arena.kernels, arena.scratch)) {
    all.push_back(std::move(mover));
  }
  measure(all, l2_flush(arena.kernels, arena.scratch), {}, arena.device, events.turn);
  const std::vector<Timed> movers(all.begin() + kernels, all.end());
  all.resize(static_cast<std::size_t>(kernels));

  std::vector<Measured> measured;
  if (buffers) {
    events.ended();
    fill_inputs(problem, shape, *buffers, ~job.seed, arena.kernels);
    flag_broken(all, *buffers, events.turn);
    remember_rates(all, work(problem, {shape}), loaded);
    for (Timed& one : all) measured.push_back(std::move(one.measured));
  } else {
    for (const Loaded& one : loaded)
      measured.push_back({one.kind, one.name, {}, buffers.error().message});
  }
  const std::vector<double> memory = memory_samples(movers, cost, arena.scratch);
  return table(measured, to_string(shape), cost, limit(cost, memory, arena.arithmetic));
}

}  // namespace

std::optional<Error> time_kernels(const Job& job, const Problem& problem,
                                  const TimeEvents& events) {
  const Result<Arena> arena = open_arena(job, problem.cost(job.shapes.at(0)).unit, events.turn);
  if (!arena) return arena.error();

  std::vector<Loaded> loaded;
  for (const TimedKernel& kernel : job.kernels) {
    events.turn(kernel.name);
    loaded.push_back(load(kernel));
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
