#include "worker/gpu/profile.h"

#include <fmt/format.h>

#include "judge/judge.h"
#include "worker/gpu/gpu_device.h"
#include "worker/serve.h"

namespace kata {

Result<std::vector<LaunchProfile>> profile(const Job& job, const Problem& problem) {
  const Result<cudaDeviceProp> gpu = open_gpu();
  if (!gpu) return gpu.error();
  const Result<void*> entry = load_entry(job.module, job.entry);
  if (!entry) return entry.error();
  const Shape& shape = job.shapes.at(0);
  const Error too_large{
      fmt::format("{} does not fit into this GPU's free memory", to_string(shape))};

  GpuDevice device(*gpu, /*with_guard_zones=*/false);
  std::vector<const float*> inputs;
  for (const std::vector<float>& host : make_inputs(problem, {shape}, job.seed)) {
    float* const buffer = device.allocate(host.size(), problem.inputs[inputs.size()].name);
    if (!buffer) return too_large;
    device.upload(buffer, host.data(), host.size());
    inputs.push_back(buffer);
  }
  const auto elements = static_cast<std::size_t>(count(problem.output.dims(shape)));
  float* const output = device.allocate(elements, problem.output.name);
  if (!output) return too_large;
  problem.signature.call(*entry, inputs.data(), output, shape.data());
  if (const std::optional<Finding> failed = device.synchronize()) return Error{failed->message};
  return std::vector<LaunchProfile>();
}

}  // namespace kata
