#include "worker/gpu/ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "timing/statistics.h"
#include "worker/serve.h"

namespace kata {
namespace {

/// Each takes about a millisecond, so this gives some 30 samples in place of 100.
constexpr Effort ceilings_effort = {.warm_up_s = 0.015, .measuring_s = 0.030};

template <class Function>
bool find(const std::filesystem::path& module, const char* name, Function*& function) {
  const Result<void*> entry = load_entry(module, name);
  if (entry) function = reinterpret_cast<Function*>(*entry);
  return static_cast<bool>(entry);
}

}  // namespace

Result<CeilingKernels> load_ceiling_kernels(const std::filesystem::path& module) {
  CeilingKernels kernels{};
  if (find(module, "kata_fill", kernels.fill) && find(module, "kata_copy", kernels.copy) &&
      find(module, "kata_stream", kernels.stream) && find(module, "kata_read", kernels.read) &&
      find(module, "kata_ffma", kernels.ffma)) {
    return kernels;
  }
  return Error{"the kernels that measure the GPU's limits cannot be loaded", module.string()};
}

L2Flush Scratch::l2_flush(const cudaDeviceProp& device) const {
  const auto wanted = 2 * static_cast<std::size_t>(device.l2CacheSize);
  return {target(), std::min(wanted, static_cast<std::size_t>(floats) / 2 * sizeof(float))};
}

Result<Scratch> allocate_scratch() {
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  const std::size_t bytes = std::min(free / 4, std::size_t{4} << 30);
  Scratch scratch;
  scratch.floats = static_cast<long long>(bytes / sizeof(float)) / (2 * CeilingKernels::granule) *
                   (2 * CeilingKernels::granule);
  if (scratch.floats > 0) scratch.memory = allocate_floats(scratch.floats);
  if (!scratch.memory) {
    return Error{
        fmt::format("too little device memory to measure with: {} MB are free", free / 1'000'000)};
  }
  return scratch;
}

Result<Ceilings> measure_ceilings(const CeilingKernels& kernels, const Scratch& scratch,
                                  const cudaDeviceProp& device, const Turn& turn) {
  kernels.fill(scratch.source(), scratch.floats, 1);
  const int blocks = 8 * device.multiProcessorCount;  // as many threads as fit at once
  double operations = 0;
  const long long half = scratch.floats / 2;
  std::vector<Timed> all = {
      {{.name = "copy"}, [&] { kernels.copy(scratch.source(), scratch.target(), half); }},
      {{.name = "streaming copy"},
       [&] { kernels.stream(scratch.source(), scratch.target(), half); }},
      {{.name = "cudaMemcpy"},
       [&] {
         cudaMemcpyAsync(scratch.target(), scratch.source(), half * sizeof(float),
                         cudaMemcpyDeviceToDevice);
       }},
      {{.name = "read"}, [&] { kernels.read(scratch.source(), scratch.target(), scratch.floats); }},
      {{.name = "FFMA"}, [&] { operations = kernels.ffma(scratch.target(), blocks); }}};
  const L2Flush none{scratch.target(), 0};
  measure(all, none, ceilings_effort, device, turn);
  std::vector<double> seconds;
  for (const Timed& one : all) {
    if (!one.measured.error.empty()) {
      return Error{"the GPU's limits could not be measured: " + one.measured.error};
    }
    seconds.push_back(1e-6 * summarize(one.measured.samples_us).median);
  }
  const double bytes = static_cast<double>(scratch.floats) * sizeof(float);
  return Ceilings{.copy_bytes = bytes / std::min({seconds[0], seconds[1], seconds[2]}),
                  .read_bytes = bytes / seconds[3],
                  .ffma_operations = operations / seconds[4]};
}

}  // namespace kata
