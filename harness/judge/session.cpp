#include "judge/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kata {
namespace {

constexpr const char* earlier_work = "what the caller queued before the call";
constexpr const char* next_work = "what the caller queues after the call";

void copy_parts(Device& device, const Buffer& to, const Buffer& from, const char* name) {
  for (std::size_t on = 0; on < to.parts().size(); ++on)
    device.queue_copy(static_cast<int>(on), to.parts()[on], from.parts()[on], to.bytes_of_part(),
                      name);
}

const Parameter* scratch_of(const Problem& problem) {
  const auto place =
      std::ranges::find(problem.signature.parameters, Parameter::Kind::scratch, &Parameter::kind);
  return place == problem.signature.parameters.end() ? nullptr : &*place;
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

std::vector<Buffer> Session::buffers_like(const Shape& shape) {
  std::vector<Buffer> buffers;
  for (const Parameter& tensor : problem_.signature.tensors)
    buffers.push_back(buffer_of(tensor, shape, device_));
  return buffers;
}

void Session::queue_from(const std::vector<Buffer>& others, const Buffers& buffers,
                         const char* name) {
  for (std::size_t i = 0; i < others.size(); ++i)
    copy_parts(device_, buffers.tensors[i], others[i], name);
}

void Session::queue_into(const std::vector<Buffer>& others, const Buffers& buffers,
                         const char* name) {
  for (std::size_t i = 0; i < others.size(); ++i)
    copy_parts(device_, others[i], buffers.tensors[i], name);
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

/// Another device is current each time.
std::optional<Finding> Session::call_with(void* entry, const Arguments& arguments) {
  const int before = static_cast<int>(calls_++ % arguments.streams.size());
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

Outcome Session::call(void* entry, const Case& one_case, const Inputs& inputs,
                      const Buffers& buffers, Poison poison, int calls) {
  expect({one_case});
  const std::vector<Buffer> values = buffers_like(one_case.shape),
                            spoilt = buffers_like(one_case.shape);
  std::size_t input = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Parameter& tensor = problem_.signature.tensors[i];
    spoilt[i].poison(poison_word(tensor.type, Poison::second));
    if (tensor.kind == Parameter::Kind::output) {
      values[i].poison(poison_word(tensor.type, poison));
    } else {
      values[i].upload(inputs[input++].bytes());
    }
  }
  const Arguments with = arguments(one_case, buffers);
  device_.take_host_copies();
  queue_from(values, buffers, earlier_work);
  std::optional<Finding> failed;
  for (int i = 0; i < calls && !failed; ++i) failed = call_with(entry, with);
  queue_into(values, buffers, next_work);
  queue_from(spoilt, buffers, next_work);

  Outcome outcome;
  const std::optional<Finding> error = device_.synchronize();
  outcome.findings = device_.take_findings();
  if (const auto on_host = host_computation(problem_, buffers, device_.take_host_copies()))
    outcome.findings.push_back(*on_host);
  if (error) outcome.findings.push_back(*error);
  if (failed) outcome.findings.push_back(*failed);
  if (!device_.usable()) return outcome;
  std::ranges::move(device_.check_guards(), std::back_inserter(outcome.findings));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (problem_.signature.tensors[i].kind != Parameter::Kind::input)
      outcome.outputs.push_back(values[i].read());
  std::ranges::move(modified_inputs(problem_, one_case.shape, inputs, values),
                    std::back_inserter(outcome.findings));
  return outcome;
}

}  // namespace kata
