#include "worker/emulator/profile.h"

#include <fmt/format.h>

#include "emulator/emulator.h"
#include "worker/emulator/emulator_device.h"
#include "worker/serve.h"

namespace kata {
namespace {

/// Written, so that nothing is found where it is read. Untouched pages cost no memory.
void* zeros(Device& device, const Parameter& tensor, const Shape& shape) {
  const std::size_t count = elements(tensor, shape);
  void* buffer = device.allocate(tensor.type, count, tensor.name);
  if (buffer) emulator::mark_written(buffer, count * size_of(tensor.type));
  return buffer;
}

}  // namespace

Result<std::vector<LaunchProfile>> profile(const Job& job, const Problem& problem) {
  const Result<void*> entry = load_entry(job.module, job.entry);
  if (!entry) return entry.error();
  const Shape& shape = job.shapes.at(0);
  EmulatorDevice device({.threads = 1, .count_requests = true, .profile = true});
  Arguments arguments = arguments_of(problem, {shape});
  for (const Parameter& tensor : problem.signature.tensors) {
    arguments.tensors.push_back(zeros(device, tensor, shape));
    if (arguments.tensors.back()) continue;
    return Error{fmt::format("there is not enough device memory for {}", to_string(shape))};
  }
  problem.signature.call(*entry, arguments);
  if (const std::optional<Finding> failed = device.synchronize()) return Error{failed->message};
  for (const Finding& finding : device.take_findings()) {
    if (finding.severity == Severity::error) return Error{finding.message};
  }
  return emulator::take_profiles();
}

}  // namespace kata
