#include "worker/gpu/ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "timing/limit.h"
#include "timing/statistics.h"
#include "worker/serve.h"

namespace kata {
namespace {

/// About a millisecond a call, so this gives some 30 samples.
constexpr Effort arithmetic_effort = {.warm_up_s = 0.015, .measuring_s = 0.030};

/// Blocks of 256 threads that fit at once.
int full_gpu(const cudaDeviceProp& device) {
  return 8 * device.multiProcessorCount;
}

template <class Function>
bool find(const std::filesystem::path& module, const char* name, Function*& function) {
  const Result<void*> entry = load_entry(module, name);
  if (entry) function = reinterpret_cast<Function*>(*entry);
  return static_cast<bool>(entry);
}

/// Keeps the unit busy for about a millisecond. How many operations that takes; 0 where this GPU
/// has no such unit.
double compute(ArithmeticUnit unit, const CeilingKernels& kernels, const Scratch& scratch,
               const cudaDeviceProp& device) {
  float* const sink = scratch.target();
  switch (unit) {
    case ArithmeticUnit::tensor_f16:
      return kernels.tensor_f16(sink, device.multiProcessorCount);
    case ArithmeticUnit::tensor_bf16:
      return kernels.tensor_bf16(sink, device.multiProcessorCount);
    case ArithmeticUnit::tensor_f8:
      return kernels.tensor_f8(sink, device.multiProcessorCount);
    case ArithmeticUnit::tensor_i8:
      return kernels.tensor_i8(sink, device.multiProcessorCount);
    case ArithmeticUnit::fma:
      break;
  }
  return kernels.ffma(sink, full_gpu(device));
}

/// Of the copy's source, or of what is read.
double floats_to_move(const Cost& cost) {
  if (cost.link_bytes > 0) return cost.link_bytes / sizeof(float);
  const double bytes = cost.bytes_read + cost.bytes_written;
  return (is_copy(cost) ? bytes / 2 : bytes) / sizeof(float);
}

/// That many, rounded up to whole granules.
long long rounded_up(double floats) {
  constexpr long long granule = CeilingKernels::granule;
  return static_cast<long long>(std::ceil(floats / static_cast<double>(granule))) * granule;
}

/// Whole granules of them, as far as the scratch memory goes.
long long moved(const Cost& cost, const Scratch& scratch) {
  const bool has_target = is_copy(cost) || cost.link_bytes > 0;
  const long long room = has_target ? scratch.floats / 2 : scratch.floats;
  return std::min(rounded_up(floats_to_move(cost)), room);
}

}  // namespace

Result<CeilingKernels> load_ceiling_kernels(const std::filesystem::path& module) {
  CeilingKernels kernels{};
  if (find(module, "kata_fill", kernels.fill) && find(module, "kata_copy", kernels.copy) &&
      find(module, "kata_read", kernels.read) &&
      find(module, "kata_read_streaming", kernels.read_streaming) &&
      find(module, "kata_ffma", kernels.ffma) &&
      find(module, "kata_tensor_f16", kernels.tensor_f16) &&
      find(module, "kata_tensor_bf16", kernels.tensor_bf16) &&
      find(module, "kata_tensor_f8", kernels.tensor_f8) &&
      find(module, "kata_tensor_i8", kernels.tensor_i8) &&
      find(module, "kata_occupy", kernels.occupy) && find(module, "kata_gate", kernels.gate) &&
      find(module, "kata_gather", kernels.gather) && find(module, "kata_mix", kernels.mix) &&
      find(module, "kata_scale_f32", kernels.scale_f32) &&
      find(module, "kata_scale_f16", kernels.scale_f16) &&
      find(module, "kata_scale_bf16", kernels.scale_bf16) &&
      find(module, "kata_pick", kernels.pick)) {
    return kernels;
  }
  return Error{"the kernels that measure the GPU's limits cannot be loaded", module.string()};
}

std::function<void()> occupier(const std::filesystem::path& ceilings_module,
                               const cudaDeviceProp& device) {
  if (ceilings_module.empty()) return {};
  const Result<CeilingKernels> kernels = load_ceiling_kernels(ceilings_module);
  if (!kernels) return {};
  const auto occupy = [occupy = kernels->occupy, blocks = full_gpu(device)] { occupy(blocks); };
  occupy();  // the first launch loads the module
  cudaDeviceSynchronize();
  return occupy;
}

Result<Scratch> allocate_scratch(const cudaDeviceProp& device) {
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  const std::size_t bytes = std::min(free / 4, std::size_t{4} << 30);
  Scratch scratch;
  scratch.floats = static_cast<long long>(bytes / sizeof(float)) / (2 * CeilingKernels::granule) *
                   (2 * CeilingKernels::granule);
  scratch.flushing_floats = rounded_up(2.0 * device.l2CacheSize / sizeof(float));
  if (scratch.floats > 0) scratch.memory = allocate_array<float>(scratch.floats);
  scratch.flushing = allocate_array<float>(scratch.flushing_floats);
  if (!scratch.memory || !scratch.flushing) {
    return Error{
        fmt::format("too little device memory to measure with: {} MB are free", free / 1'000'000)};
  }
  return scratch;
}

L2Flush l2_flush(const CeilingKernels& kernels, const Scratch& scratch) {
  return [read = kernels.read, memory = scratch.flushing.get(), floats = scratch.flushing_floats] {
    read(memory, memory, floats);
    read(memory, memory, floats);
  };
}

Result<ArithmeticRate> measure_arithmetic(ArithmeticUnit unit, const CeilingKernels& kernels,
                                          const Scratch& scratch, const cudaDeviceProp& device,
                                          const Turn& turn) {
  double operations = 0;
  std::vector<Timed> one = {{{.kind = RowKind::limit, .name = to_string(unit)},
                             [&] { operations = compute(unit, kernels, scratch, device); }}};
  measure(one, arithmetic_effort, {.flush = [] {}, .device = device, .turn = turn});
  const Measured& measured = one.front().measured;
  if (!measured.error.empty()) {
    return Error{"the GPU's limits could not be measured: " + measured.error};
  }
  if (operations == 0)
    return measure_arithmetic(ArithmeticUnit::fma, kernels, scratch, device, turn);
  return ArithmeticRate{unit, 1e6 * operations / summarize(measured.samples_us).median};
}

Peak peak_of(const cudaDeviceProp& device, const ArithmeticRate& arithmetic) {
  int clock_khz = 0, width_bits = 0;
  cudaDeviceGetAttribute(&clock_khz, cudaDevAttrMemoryClockRate, 0);
  cudaDeviceGetAttribute(&width_bits, cudaDevAttrGlobalMemoryBusWidth, 0);
  cudaGetLastError();              // a driver that does not say
  constexpr double transfers = 2;  // a clock
  return {.bytes_per_s = transfers * 1e3 * clock_khz * width_bits / 8,
          .l2_bytes = static_cast<double>(device.l2CacheSize),
          .arithmetic = arithmetic};
}

std::vector<Timed> memory_kernels(const Cost& cost, const CeilingKernels& kernels,
                                  const Scratch& scratch) {
  const long long count = moved(cost, scratch);
  float *const from = scratch.source(), *const to = scratch.target();
  if (!is_copy(cost)) {
    return {{{.kind = RowKind::limit, .name = "read"}, [=] { kernels.read(from, to, count); }},
            {{.kind = RowKind::limit, .name = "read_streaming"},
             [=] { kernels.read_streaming(from, to, count); }}};
  }
  return {
      {{.kind = RowKind::limit, .name = "copy"}, [=] { kernels.copy(from, to, count, nullptr); }},
      {{.kind = RowKind::limit, .name = "cudaMemcpy"},
       [=] { cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDeviceToDevice); }}};
}

std::vector<Timed> link_kernels(const Cost& cost, const CeilingKernels& kernels,
                                const std::vector<Scratch>& scratch,
                                const std::vector<cudaStream_t>& streams) {
  const long long count = moved(cost, scratch.front());
  const auto on_each = [&scratch, &streams](auto enqueue) {
    return [&scratch, &streams, enqueue] {
      for (std::size_t to = 0; to < streams.size(); ++to) {
        const OnDevice current(static_cast<int>(to));
        enqueue(scratch[(to + 1) % streams.size()].source(), scratch[to].target(), streams[to]);
      }
    };
  };
  return {{{.kind = RowKind::limit, .name = "copy"},
           on_each([=](const float* from, float* to, cudaStream_t stream) {
             kernels.copy(from, to, count, stream);
           })},
          {{.kind = RowKind::limit, .name = "cudaMemcpy"},
           on_each([=](const float* from, float* to, cudaStream_t stream) {
             cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDefault, stream);
           })}};
}

std::vector<double> memory_samples(const std::vector<Timed>& movers, const Cost& cost,
                                   const Scratch& scratch) {
  const Measured* fastest = nullptr;
  for (const Timed& mover : movers) {
    const Measured& one = mover.measured;
    if (!one.error.empty()) continue;
    if (!fastest || summarize(one.samples_us).median < summarize(fastest->samples_us).median) {
      fastest = &one;
    }
  }
  if (!fastest) return {};
  const double part = static_cast<double>(moved(cost, scratch)) / floats_to_move(cost);
  std::vector<double> samples = fastest->samples_us;
  if (part < 1) {
    for (double& sample : samples) sample /= part;
  }
  return samples;
}

}  // namespace kata
