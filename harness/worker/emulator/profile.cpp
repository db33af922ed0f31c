#include "worker/emulator/profile.h"

#include <fmt/format.h>

#include "emulator/emulator.h"
#include "worker/emulator/emulator_device.h"
#include "worker/serve.h"

namespace kata {
namespace {

/// Written, so that nothing is found where it is read. Untouched pages cost no memory.
float* zeros(Device& device, const Tensor& tensor, const Shape& shape) {
  const auto elements = static_cast<std::size_t>(count(tensor.dims(shape)));
  float* buffer = device.allocate(elements, tensor.name);
  if (buffer) emulator::mark_written(buffer, elements * sizeof(float));
  return buffer;
}

}  // namespace

Result<std::vector<LaunchProfile>> profile(const Job& job, const Problem& problem) {
  const Result<void*> entry = load_entry(job.module, job.entry);
  if (!entry) return entry.error();
  const Shape& shape = job.shapes.at(0);
  EmulatorDevice device({.threads = 1, .count_requests = true, .profile = true});
  std::vector<const float*> inputs;
  for (const Tensor& tensor : problem.inputs) inputs.push_back(zeros(device, tensor, shape));
  float* const output = zeros(device, problem.output, shape);
  for (const float* buffer : inputs) {
    if (!buffer || !output) {
      return Error{fmt::format("there is not enough device memory for {}", to_string(shape))};
    }
  }
  problem.signature.call(*entry, inputs.data(), output, shape.data());
  if (const std::optional<Finding> failed = device.synchronize()) return Error{failed->message};
  for (const Finding& finding : device.take_findings()) {
    if (finding.severity == Severity::error) return Error{finding.message};
  }
  return emulator::take_profiles();
}

}  // namespace kata
