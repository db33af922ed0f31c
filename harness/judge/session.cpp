#include "judge/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "judge/judge.h"

namespace kata {
namespace {

constexpr const char* earlier_work = "what the caller queued before the call";
constexpr const char* next_work = "what the caller queues after the call";

/// All tensors, in each device's stream.
void queue_copies(Device& device, const Buffers& to, const Buffers& from, const char* name) {
  for (std::size_t i = 0; i < to.tensors.size(); ++i) {
    const std::vector<void*>&to_parts = to.tensors[i].parts(),
          &from_parts = from.tensors[i].parts();
    for (std::size_t on = 0; on < to_parts.size(); ++on)
      device.queue_copy(static_cast<int>(on), to_parts[on], from_parts[on],
                        to.tensors[i].bytes_of_part(), name);
  }
}

}  // namespace

void Session::expect(const std::vector<Case>& cases) {
  const Parameter* const parameter = scratch_of(problem_);
  if (!parameter) return;
  std::size_t bytes = zeroed_scratch;
  int devices = 1;
  for (const Case& one : cases) {
    bytes = std::max(bytes, parameter->bytes(one.shape));
    devices = std::max(devices, devices_of(problem_, one.shape));
  }
  if (!scratch_.empty()) {
    const Buffer& now = scratch_.front();
    if (now.bytes_of_part() >= bytes && static_cast<int>(now.parts().size()) >= devices) return;
    bytes = std::max(bytes, now.bytes_of_part());
    devices = std::max(devices, static_cast<int>(now.parts().size()));
    scratch_.clear();
  }
  scratch_.emplace_back(device_, parameter->type, bytes / size_of(parameter->type), parameter->name,
                        devices);
  begin();
}

void Session::begin() {
  const std::vector<std::byte> zeros(zeroed_scratch);
  for (const Buffer& scratch : scratch_) {
    scratch.poison(poison_word(Type::f32));
    for (void* const part : scratch.parts()) device_.upload(part, zeros.data(), zeros.size());
  }
}

Arguments Session::arguments(const Case& one_case, const Buffers& buffers) {
  Arguments arguments = arguments_of(problem_, one_case);
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const Buffer& buffer = buffers.tensors[i];
    const bool is_on_each = problem_.signature.tensors[i].is_on_each_device;
    arguments.tensors.push_back(is_on_each ? const_cast<void**>(buffer.parts().data())
                                           : buffer.data());
  }
  const int devices = devices_of(problem_, one_case.shape);
  for (int on = 0; on < devices; ++on) arguments.streams.push_back(device_.stream(on));
  if (!scratch_.empty()) arguments.scratch = scratch_.front().parts();
  return arguments;
}

/// Another device is current each time, also one that takes no part.
std::optional<Finding> Session::call_with(void* entry, const Arguments& arguments) {
  const int before = static_cast<int>(calls_++ % static_cast<std::size_t>(device_.devices()));
  device_.make_current(before);
  std::optional<Finding> thrown = kata::call(problem_.signature, entry, arguments);
  const int after = device_.current();
  if (thrown || after == before) return thrown;
  device_.make_current(before);
  return Finding{.kind = FindingKind::cuda_error,
                 .message = fmt::format("device {} was current before the call, device {} is after "
                                        "it: call cudaSetDevice with what cudaGetDevice returned",
                                        before, after)};
}

Session::Queued Session::queue(void* entry, const Case& one_case, const Inputs& inputs,
                               const Buffers& buffers, Poison poison, int calls) {
  Queued queued{allocate(problem_, one_case.shape, device_),
                allocate(problem_, one_case.shape, device_)};
  const Buffers &values = queued.values, &spoilt = queued.spoilt;
  std::size_t input = 0;
  for (std::size_t i = 0; i < values.tensors.size(); ++i) {
    const Parameter& tensor = problem_.signature.tensors[i];
    spoilt.tensors[i].poison(poison_word(tensor.type, Poison::second));
    if (tensor.kind == Parameter::Kind::output) {
      values.tensors[i].poison(poison_word(tensor.type, poison));
    } else {
      values.tensors[i].upload(inputs[input++].bytes());
    }
  }
  const Arguments with = arguments(one_case, buffers);
  device_.take_host_copies();
  queue_copies(device_, buffers, values, earlier_work);
  for (int i = 0; i < calls && !queued.failed; ++i) queued.failed = call_with(entry, with);
  queue_copies(device_, values, buffers, next_work);
  queue_copies(device_, buffers, spoilt, next_work);
  return queued;
}

Outcome Session::call(void* entry, const Case& one_case, const Inputs& inputs,
                      const Buffers& buffers, Poison poison, int calls) {
  expect({one_case});
  const Queued queued = queue(entry, one_case, inputs, buffers, poison, calls);
  Outcome outcome;
  const std::optional<Finding> error = device_.synchronize();
  outcome.findings = device_.take_findings();
  if (const auto on_host = host_computation(problem_, buffers, device_.take_host_copies()))
    outcome.findings.push_back(*on_host);
  if (error) outcome.findings.push_back(*error);
  if (queued.failed) outcome.findings.push_back(*queued.failed);
  if (!device_.usable()) return outcome;
  std::ranges::move(device_.check_guards(), std::back_inserter(outcome.findings));
  read_results(problem_, one_case.shape, inputs, queued.values, outcome);
  return outcome;
}

std::vector<Finding> Session::call_in_turn(void* entry, const std::vector<Case>& cases,
                                           std::uint64_t seed) {
  std::vector<Buffers> buffers;
  std::vector<Queued> queued;
  for (const Case& one : cases) {
    buffers.push_back(allocate(problem_, one.shape, device_));
    if (!buffers.back().complete) break;
    const Inputs inputs = make_inputs(problem_, one, seed);
    queued.push_back(queue(entry, one, inputs, buffers.back(), Poison::first, 1));
    if (queued.back().failed) break;
  }
  device_.synchronize();
  return device_.take_findings();
}

}  // namespace kata
