#include "judge/call.h"

#include <fmt/format.h>

#include <algorithm>
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

Outcome call_once(const Problem& problem, void* entry, const Case& one_case, const Inputs& inputs,
                  const Buffers& buffers, Device& device, Poison poison) {
  prepare(problem, inputs, buffers, device, poison);
  Arguments arguments = arguments_of(problem, one_case);
  for (const Buffer& buffer : buffers.tensors) arguments.tensors.push_back(buffer.data());
  const std::optional<Finding> thrown = call(problem.signature, entry, arguments);
  const std::optional<Finding> failed = device.synchronize();

  Outcome outcome{.outputs = {}, .findings = device.take_findings()};
  if (failed) outcome.findings.push_back(*failed);
  if (thrown) outcome.findings.push_back(*thrown);
  if (!device.usable()) return outcome;
  const std::vector<Finding> guards = device.check_guards();
  outcome.findings.insert(outcome.findings.end(), guards.begin(), guards.end());
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
