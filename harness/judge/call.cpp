#include "judge/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "judge/explain.h"

namespace kata {
namespace {

Finding error(FindingKind kind, const std::string& message) {
  return {.kind = kind, .message = message};
}

/// Calls the candidate. A C++ exception that it lets out is a crash with a reason.
std::optional<Finding> call(const Signature& signature, void* entry, const Arguments& arguments) {
  try {
    signature.call(entry, arguments);
    return {};
  } catch (const std::exception& thrown) {
    return error(FindingKind::crash,
                 fmt::format("the host function threw an exception: {}", thrown.what()));
  } catch (...) {
    return error(FindingKind::crash, "the host function threw an exception");
  }
}

std::optional<Finding> modified(const Parameter& tensor, const Dims& dims, const Array& before,
                                const Array& after) {
  if (before == after) return {};
  const std::size_t size = size_of(before.type());
  std::size_t first = before.size(), changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (std::memcmp(&before.bytes()[i * size], &after.bytes()[i * size], size) == 0) continue;
    if (changed++ == 0) first = i;
  }
  const std::string element = element_name(tensor.name, static_cast<std::int64_t>(first), dims);
  return error(FindingKind::input_modified,
               fmt::format("the input {0} was changed: {1} of its {2} elements, first {3} from "
                           "{4} to {5}; inputs are const",
                           tensor.name, changed, before.size(), element, number(before[first]),
                           number(after[first])));
}

/// The inputs that were changed. In-out buffers may be.
std::vector<Finding> modified_inputs(const Problem& problem, const Shape& shape,
                                     const Inputs& inputs, const Buffers& buffers) {
  std::vector<Finding> findings;
  std::size_t input = 0;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const Parameter& tensor = problem.signature.tensors[i];
    if (tensor.kind == Parameter::Kind::output) continue;
    const Array& before = inputs[input++];
    if (tensor.kind != Parameter::Kind::input) continue;
    const auto change = modified(tensor, tensor.dims(shape), before, buffers.tensors[i].read());
    if (change) findings.push_back(*change);
  }
  return findings;
}

/// Bytes of the buffer that were copied that way, at most as many as it has.
std::size_t copied(const Buffer& buffer, const std::vector<HostCopy>& copies,
                   HostCopy::Direction direction) {
  const auto* const low = static_cast<const char*>(buffer.data());
  std::size_t bytes = 0;
  for (const HostCopy& one : copies) {
    const auto* const begin = static_cast<const char*>(one.device);
    if (one.direction != direction) continue;
    if (begin >= low && begin < low + buffer.bytes()) bytes += one.bytes;
  }
  return std::min(bytes, buffer.bytes());
}

/// An output that comes from the host after something was copied to it. If that was all inputs, the
/// operator was computed on the CPU. Else it may be the last step of a reduction.
std::optional<Finding> host_computation(const Problem& problem, const Buffers& buffers,
                                        const std::vector<HostCopy>& copies) {
  using enum HostCopy::Direction;
  const auto first_read = std::find_if(
      copies.begin(), copies.end(), [](const HostCopy& one) { return one.direction == to_host; });
  if (first_read == copies.end()) return {};
  const std::vector<HostCopy> after(first_read, copies.end());
  std::string output;
  bool all_inputs = true;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const Parameter& tensor = problem.signature.tensors[i];
    const Buffer& buffer = buffers.tensors[i];
    if (buffer.bytes() == 0) continue;
    const bool is_input = tensor.kind != Parameter::Kind::output;
    if (is_input && copied(buffer, copies, to_host) < buffer.bytes()) all_inputs = false;
    if (tensor.kind == Parameter::Kind::input || !output.empty()) continue;
    if (copied(buffer, after, from_host) == buffer.bytes()) output = tensor.name;
  }
  if (output.empty()) return {};
  const HostCopy& back = *std::find_if(
      after.rbegin(), after.rend(), [](const HostCopy& one) { return one.direction == from_host; });
  const std::string message =
      all_inputs ? fmt::format(
                       "the inputs are copied to the host and {0} is copied back from it: "
                       "the CPU computes {0}; compute it in a kernel",
                       output)
                 : fmt::format(
                       "{0} is copied from the host after intermediate results were copied "
                       "to it: the CPU computes the last step, so there is no time; compute "
                       "all of {0} in kernels",
                       output);
  return Finding{.kind = FindingKind::host_computation,
                 .severity = all_inputs ? Severity::error : Severity::warning,
                 .file = back.file,
                 .line = back.line,
                 .message = message};
}

using Bytes = std::vector<std::byte>;

/// The first bytes of each output; empty for an input.
std::vector<Bytes> begins_of_outputs(const Problem& problem, const Buffers& buffers,
                                     Device& device) {
  constexpr std::size_t most = 1 << 20;
  std::vector<Bytes> begins;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const bool is_input = problem.signature.tensors[i].kind == Parameter::Kind::input;
    begins.emplace_back(is_input ? 0 : std::min(buffers.tensors[i].bytes(), most));
    device.download(begins.back().data(), buffers.tensors[i].data(), begins.back().size());
  }
  return begins;
}

/// An output that the default stream sees change after the function has returned.
std::optional<Finding> written_later(const Problem& problem, const std::vector<Bytes>& at_return,
                                     const std::vector<Bytes>& at_end) {
  for (std::size_t i = 0; i < at_return.size(); ++i) {
    if (at_return[i] == at_end[i]) continue;
    return error(FindingKind::race,
                 fmt::format("{} changes after the function has returned: it is written on a "
                             "stream that the default stream does not wait for; call "
                             "cudaStreamSynchronize, or make the default stream wait for an event",
                             problem.signature.tensors[i].name));
  }
  return {};
}

/// Gives every buffer what it holds before the call.
void prepare(const Problem& problem, const Inputs& inputs, const Buffers& buffers, Device& device,
             Poison poison) {
  std::size_t input = 0;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const Parameter& tensor = problem.signature.tensors[i];
    const Buffer& buffer = buffers.tensors[i];
    if (tensor.kind == Parameter::Kind::output) {
      device.poison(buffer.data(), buffer.bytes(), poison_word(tensor.type, poison));
      continue;
    }
    device.upload(buffer.data(), inputs[input++].bytes().data(), buffer.bytes());
    if (tensor.kind == Parameter::Kind::input) device.make_input(buffer.data(), buffer.bytes());
  }
}

}  // namespace

Buffers allocate(const Problem& problem, const Shape& shape, Device& device) {
  std::vector<Buffer> tensors;
  bool complete = true;
  for (const Parameter& tensor : problem.signature.tensors) {
    tensors.emplace_back(device, tensor.type, elements(tensor, shape), tensor.name);
    const Buffer& buffer = tensors.back();
    complete =
        complete && (buffer.data() || buffer.bytes() == 0);  // CUDA gives no bytes no address
  }
  return {std::move(tensors), complete};
}

Outcome call_on(const Problem& problem, void* entry, const Case& one_case, const Buffers& buffers,
                Device& device) {
  Arguments arguments = arguments_of(problem, one_case);
  for (const Buffer& buffer : buffers.tensors) arguments.tensors.push_back(buffer.data());
  device.take_host_copies();
  const bool can_read_at_return = device.delay_kernels();
  const auto began = std::chrono::steady_clock::now();
  const std::optional<Finding> thrown = call(problem.signature, entry, arguments);
  std::vector<Bytes> at_return;
  if (can_read_at_return) at_return = begins_of_outputs(problem, buffers, device);
  const std::optional<Finding> failed = device.synchronize();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;

  Outcome outcome{.outputs = {}, .findings = device.take_findings(), .seconds = seconds.count()};
  if (const auto on_host = host_computation(problem, buffers, device.take_host_copies()))
    outcome.findings.push_back(*on_host);
  if (failed) outcome.findings.push_back(*failed);
  if (thrown) outcome.findings.push_back(*thrown);
  if (!device.usable()) return outcome;
  if (can_read_at_return) {
    const std::vector<Bytes> at_end = begins_of_outputs(problem, buffers, device);
    if (const auto late = written_later(problem, at_return, at_end))
      outcome.findings.push_back(*late);
  }
  const std::vector<Finding> guards = device.check_guards();
  outcome.findings.insert(outcome.findings.end(), guards.begin(), guards.end());
  return outcome;
}

Outcome call_once(const Problem& problem, void* entry, const Case& one_case, const Inputs& inputs,
                  const Buffers& buffers, Device& device, Poison poison) {
  prepare(problem, inputs, buffers, device, poison);
  Outcome outcome = call_on(problem, entry, one_case, buffers, device);
  if (!device.usable()) return outcome;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    if (problem.signature.tensors[i].kind == Parameter::Kind::input) continue;
    outcome.outputs.push_back(buffers.tensors[i].read());
  }
  if (has_kind(outcome.findings, FindingKind::input_modified)) return outcome;  // with its line
  const std::vector<Finding> changes = modified_inputs(problem, one_case.shape, inputs, buffers);
  outcome.findings.insert(outcome.findings.end(), changes.begin(), changes.end());
  return outcome;
}

}  // namespace kata
