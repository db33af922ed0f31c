#include "judge/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "judge/explain.h"

namespace kata {
namespace {

std::size_t elements(const Tensor& tensor, const Shape& shape) {
  return static_cast<std::size_t>(count(tensor.dims(shape)));
}

Finding error(FindingKind kind, const std::string& message) {
  return {.kind = kind, .message = message};
}

/// Calls the candidate. A C++ exception that it lets out is a crash with a reason.
std::optional<Finding> call(const Signature& signature, void* entry, const float* const* inputs,
                            float* output, const Shape& shape) {
  try {
    signature.call(entry, inputs, output, shape.data());
    return {};
  } catch (const std::exception& thrown) {
    return error(FindingKind::crash,
                 fmt::format("the host function threw an exception: {}", thrown.what()));
  } catch (...) {
    return error(FindingKind::crash, "the host function threw an exception");
  }
}

std::optional<Finding> modified(const Tensor& tensor, const Dims& dims,
                                const std::vector<float>& before, const std::vector<float>& after) {
  if (same_bits(before, after)) return {};
  std::int64_t first = -1, changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(before[i]) == std::bit_cast<std::uint32_t>(after[i])) continue;
    if (changed++ == 0) first = static_cast<std::int64_t>(i);
  }
  const auto at = static_cast<std::size_t>(first);
  return error(
      FindingKind::input_modified,
      fmt::format("the input {0} was changed: {1} of its {2} elements, first {3} from "
                  "{4} to {5}; inputs are const",
                  tensor.name, changed, before.size(), element_name(tensor.name, first, dims),
                  number(before[at]), number(after[at])));
}

std::optional<Finding> incomplete(const Problem& problem, const Shape& shape,
                                  const std::vector<float>& output) {
  const std::vector<std::int64_t> unwritten = find_unwritten(output);
  if (unwritten.empty()) return {};
  const Dims dims = problem.output.dims(shape);
  const std::string& name = problem.output.name;
  std::string range = element_name(name, unwritten.front(), dims);
  if (unwritten.size() > 1) range += " ... " + element_name(name, unwritten.back(), dims);
  return error(FindingKind::output_incomplete,
               fmt::format("{} of the {} elements of {} were never written: {}", unwritten.size(),
                           output.size(), name, range));
}

}  // namespace

Buffers allocate(const Problem& problem, const Shape& shape, Device& device) {
  std::vector<Buffer> inputs;
  bool complete = true;
  for (const Tensor& tensor : problem.inputs) {
    inputs.emplace_back(device, elements(tensor, shape), tensor.name);
    complete = complete && inputs.back().data();
  }
  Buffer output(device, elements(problem.output, shape), problem.output.name);
  complete = complete && output.data();
  return {std::move(inputs), std::move(output), complete};
}

Outcome call_once(const Problem& problem, void* entry, const Shape& shape, const Inputs& inputs,
                  const Buffers& buffers, Device& device) {
  std::vector<const float*> pointers;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    device.upload(buffers.inputs[i].data(), inputs[i].data(), inputs[i].size());
    pointers.push_back(buffers.inputs[i].data());
  }
  device.poison(buffers.output.data(), buffers.output.count());
  const std::optional<Finding> thrown =
      call(problem.signature, entry, pointers.data(), buffers.output.data(), shape);
  const std::optional<Finding> failed = device.synchronize();

  Outcome outcome{.output = {}, .findings = device.take_findings()};
  if (failed) outcome.findings.push_back(*failed);
  if (thrown) outcome.findings.push_back(*thrown);
  if (!device.usable()) return outcome;
  const std::vector<Finding> guards = device.check_guards();
  outcome.findings.insert(outcome.findings.end(), guards.begin(), guards.end());
  outcome.output = buffers.output.read();
  const bool with_its_line = has_kind(outcome.findings, FindingKind::input_modified);
  for (std::size_t i = 0; i < inputs.size() && !with_its_line; ++i) {
    const Tensor& tensor = problem.inputs[i];
    const auto change = modified(tensor, tensor.dims(shape), inputs[i], buffers.inputs[i].read());
    if (change) outcome.findings.push_back(*change);
  }
  if (const auto hole = incomplete(problem, shape, outcome.output)) {
    outcome.findings.push_back(*hole);
  }
  return outcome;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace kata
