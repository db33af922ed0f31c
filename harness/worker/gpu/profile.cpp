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
  const Inputs inputs = make_inputs(problem, {shape}, job.seed);
  auto input = inputs.begin();
  Arguments arguments = arguments_of(problem, {shape});
  for (const Parameter& tensor : problem.signature.tensors) {
    void* const buffer = device.allocate(tensor.type, elements(tensor, shape), tensor.name);
    if (!buffer) return too_large;
    if (tensor.kind != Parameter::Kind::output) {
      device.upload(buffer, input->bytes().data(), input->bytes().size());
      ++input;
    }
    arguments.tensors.push_back(buffer);
  }
  problem.signature.call(*entry, arguments);
  if (const std::optional<Finding> failed = device.synchronize()) return Error{failed->message};
  return std::vector<LaunchProfile>();
}

}  // namespace kata
