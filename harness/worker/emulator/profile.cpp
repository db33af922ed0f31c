#include "worker/emulator/profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/emulator.h"
#include "judge/judge.h"
#include "worker/emulator/emulator_device.h"
#include "worker/serve.h"

namespace kata {
namespace {

/// Zeros that count as written, so that nothing is found where they are read. Untouched pages cost
/// no memory.
void* zeros(Device& device, const Parameter& tensor, const Shape& shape) {
  const std::size_t count = elements(tensor, shape);
  void* buffer = device.allocate(tensor.type, count, tensor.name);
  if (buffer) emulator::mark_written(buffer, count * size_of(tensor.type));
  return buffer;
}

/// Whether accesses may depend on the values of the inputs: indices, the structure of a matrix, or
/// what is selected from. Other floats and signed bytes are what is computed with.
bool needs_values(const Problem& problem) {
  const std::vector<Parameter>& inputs = problem.signature.inputs;
  const bool has_indices = std::any_of(inputs.begin(), inputs.end(), [&](const Parameter& tensor) {
    const bool may_be_index = !is_float(tensor.type) && tensor.type != Type::i8;
    return may_be_index && (tensor.draw || problem.arrange);
  });
  return has_indices || problem.selects;
}

/// What is profiled of each launch. Rows of a sparse matrix may differ by any factor, so all blocks
/// are, as far as there is time.
emulator::Options options_for(const Problem& problem, const Job& job) {
  emulator::Options options{.threads = 1, .count_requests = true, .profile = true};
  if (problem.arrange && needs_values(problem)) {
    constexpr double accesses_per_s = 8e6;
    options.profiled_blocks = ~0ull;
    options.profiled_accesses = job.most_accesses
                                    ? job.most_accesses / 2
                                    : static_cast<std::uint64_t>(accesses_per_s * job.time_limit_s);
  } else if (job.profiled_accesses) {
    options.profiled_accesses = job.profiled_accesses;
  }
  if (job.most_accesses) options.access_limit = job.most_accesses;
  return options;
}

/// Empty where accesses do not depend on values. Floats are drawn only where the problem selects
/// some of them.
Result<Inputs> values_for(const Job& job, const Problem& problem) {
  if (!needs_values(problem)) return Inputs{};
  const Case one_case{job.shapes.at(0), Values::uniform};
  if (!problem.selects) return make_integer_inputs(problem, one_case, job.seed);
  constexpr std::uint64_t draws_per_access = 4;
  std::uint64_t drawn = 0;
  for (const Parameter& tensor : problem.signature.inputs)
    drawn += elements(tensor, one_case.shape);
  if (job.most_accesses && drawn > draws_per_access * job.most_accesses) return Error{""};
  return make_inputs(problem, one_case, job.seed);
}

}  // namespace

Result<std::vector<LaunchProfile>> profile(const Job& job, const Problem& problem) {
  const Result<void*> entry = load_entry(job.module, job.entry);
  if (!entry) return entry.error();
  const Shape& shape = job.shapes.at(0);
  const Result<Inputs> drawn = values_for(job, problem);
  if (!drawn) return drawn.error();
  const Inputs& inputs = *drawn;
  EmulatorDevice device(options_for(problem, job));
  Arguments arguments = arguments_of(problem, {shape});
  std::size_t input = 0;
  for (const Parameter& tensor : problem.signature.tensors) {
    void* const buffer = zeros(device, tensor, shape);
    if (!buffer) {
      return Error{fmt::format("there is not enough device memory for {}", to_string(shape))};
    }
    arguments.tensors.push_back(buffer);
    if (tensor.kind == Parameter::Kind::output || inputs.empty()) continue;
    const std::span<const std::byte> bytes = inputs[input++].bytes();
    device.upload(buffer, bytes.data(), bytes.size());
  }
  problem.signature.call(*entry, arguments);
  const std::optional<Finding> failed = device.synchronize();
  const std::vector<Finding> findings = device.take_findings();
  if (job.most_accesses && has_kind(findings, FindingKind::timeout)) return Error{""};
  if (failed) return Error{failed->message};
  for (const Finding& finding : findings) {
    // Only some blocks of each launch run: a later launch may read what the others would write.
    if (finding.kind == FindingKind::uninitialized) continue;
    if (finding.severity == Severity::error)
      return Error{"a profile runs some of the blocks, and the call needs all: " + finding.message};
  }
  std::vector<LaunchProfile> profiles = emulator::take_profiles();
  const auto lacks_blocks = [](const LaunchProfile& one) {
    return one.counts.blocks_wait && one.blocks_run < one.counts.blocks();
  };
  if (std::any_of(profiles.begin(), profiles.end(), lacks_blocks))
    return Error{"its blocks wait for each other, and a profile runs only some of them"};
  return profiles;
}

}  // namespace kata
