#include "judge/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <optional>

#include "judge/explain.h"

namespace kata {
namespace {

Finding error(FindingKind kind, const std::string& message) {
  return {.kind = kind, .message = message};
}

std::optional<Finding> modified(const Parameter& tensor, const Dims& dims, const Array& before,
                                const Array& after) {
  // As a whole first, at the speed of memory.
  if (before.size() == 0 ||
      std::memcmp(before.bytes().data(), after.bytes().data(), before.bytes().size()) == 0)
    return {};
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

std::size_t bytes_of(const std::vector<HostCopy>& copies, HostCopy::Direction direction) {
  std::size_t bytes = 0;
  for (const HostCopy& one : copies) bytes += one.direction == direction ? one.bytes : 0;
  return bytes;
}

/// Those from or to the buffer.
std::vector<HostCopy> copies_of(const Buffer& buffer, const std::vector<HostCopy>& copies) {
  std::vector<HostCopy> found;
  std::ranges::copy_if(copies, std::back_inserter(found), [&](const HostCopy& one) {
    const auto* const begin = static_cast<const char*>(one.device);
    return std::ranges::any_of(buffer.parts(), [&](const void* part) {
      const auto* const low = static_cast<const char*>(part);
      return begin >= low && begin < low + buffer.bytes_of_part();
    });
  });
  return found;
}

enum class HostReads { little, quarter, all };

/// How much of the inputs the host has got: with a quarter, from their buffers or by way of others,
/// it may compute. Indices and lengths decide what is launched; a host may read them.
HostReads reads_inputs(const Problem& problem, const Buffers& buffers,
                       const std::vector<HostCopy>& copies) {
  constexpr std::size_t least_of_others = 4096;  // a last step reads fewer partial results
  const auto is_data = [&](const Parameter& tensor) {
    return tensor.kind != Parameter::Kind::output &&
           (is_float(tensor.type) ||
            std::ranges::none_of(problem.signature.inputs, is_float, &Parameter::type));
  };
  std::size_t all = 0, read = 0;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    if (!is_data(problem.signature.tensors[i])) continue;
    all += buffers.tensors[i].bytes();
    read += bytes_of(copies_of(buffers.tensors[i], copies), HostCopy::Direction::to_host);
  }
  if (read >= all && all >= 4 * least_of_others) return HostReads::all;
  const std::size_t by_any_way = 4 * bytes_of(copies, HostCopy::Direction::to_host);
  const bool quarter = 4 * read >= all || by_any_way >= std::max(all, 4 * least_of_others);
  return quarter ? HostReads::quarter : HostReads::little;
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
      buffer.poison(poison_word(tensor.type, poison));
      continue;
    }
    buffer.upload(inputs[input++].bytes());
    if (tensor.kind == Parameter::Kind::input) device.make_input(buffer.data(), buffer.bytes());
  }
}

}  // namespace

Buffer::Buffer(Device& device, Type type, std::size_t count_each, const std::string& name,
               int devices)
    : Buffer(device, type) {
  const int before = device.current();
  for (int on = 0; on < devices; ++on) {
    device.make_current(on);
    add(count_each, fmt::format("{}[{}]", name, on));
  }
  device.make_current(before);
}

bool Buffer::is_complete() const {
  return count_ == 0 || std::ranges::none_of(parts_, [](const void* part) { return !part; });
}

Array Buffer::read() const {
  Array host(type_, parts_.size() * count_);
  std::byte* to = host.bytes().data();
  for (const void* const part : parts_) {
    device_.download(to, part, bytes_of_part());
    to += bytes_of_part();
  }
  return host;
}

void Buffer::upload(std::span<const std::byte> bytes) const {
  const std::byte* from = bytes.data();
  for (void* const part : parts_) {
    device_.upload(part, from, bytes_of_part());
    from += bytes_of_part();
  }
}

void Buffer::poison(std::uint32_t word) const {
  for (void* const part : parts_) device_.poison(part, bytes_of_part(), word);
}

Buffer buffer_of(const Parameter& tensor, const Shape& shape, Device& device) {
  const std::size_t count = elements(tensor, shape);
  if (!tensor.is_on_each_device) return Buffer(device, tensor.type, count, tensor.name);
  const auto devices = static_cast<std::size_t>(tensor.dims(shape).front());
  return Buffer(device, tensor.type, count / devices, tensor.name, static_cast<int>(devices));
}

Buffers allocate(const Problem& problem, const Shape& shape, Device& device) {
  std::vector<Buffer> tensors;
  for (const Parameter& tensor : problem.signature.tensors)
    tensors.push_back(buffer_of(tensor, shape, device));
  const bool complete = std::ranges::all_of(tensors, &Buffer::is_complete);
  return {std::move(tensors), complete};
}

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

void read_results(const Problem& problem, const Shape& shape, const Inputs& inputs,
                  const Buffers& buffers, Outcome& outcome) {
  const bool is_known = has_kind(outcome.findings, FindingKind::input_modified);
  std::size_t input = 0;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const Parameter& tensor = problem.signature.tensors[i];
    const bool is_input = tensor.kind == Parameter::Kind::input;
    if (!is_input) outcome.outputs.push_back(buffers.tensors[i].read());
    if (tensor.kind == Parameter::Kind::output) continue;
    const Array& before = inputs[input++];
    if (!is_input || is_known) continue;
    const auto change = modified(tensor, tensor.dims(shape), before, buffers.tensors[i].read());
    if (change) outcome.findings.push_back(*change);
  }
}

std::optional<Finding> host_computation(const Problem& problem, const Buffers& buffers,
                                        const std::vector<HostCopy>& copies) {
  using enum HostCopy::Direction;
  const auto first_read = std::ranges::find(copies, to_host, &HostCopy::direction);
  const std::vector<HostCopy> after(first_read, copies.end());
  const std::size_t back = bytes_of(after, from_host);
  const HostReads reads = reads_inputs(problem, buffers, copies);
  // What the host computes from all inputs may reach a kernel as an argument.
  const bool has_all = reads == HostReads::all;
  if (back == 0 && !has_all) return {};
  std::size_t bytes_of_outputs = 0;
  std::string output;  // one that is copied from the host as a whole
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const Parameter& tensor = problem.signature.tensors[i];
    const Buffer& buffer = buffers.tensors[i];
    if (tensor.kind == Parameter::Kind::input || buffer.bytes() == 0) continue;
    bytes_of_outputs += buffer.bytes();
    if (output.empty() && bytes_of(copies_of(buffer, after), from_host) >= buffer.bytes())
      output = tensor.name;
  }
  const bool all_on_host = has_all || (reads == HostReads::quarter && 4 * back >= bytes_of_outputs);
  if (!all_on_host && output.empty()) return {};
  const HostCopy& last = *std::ranges::find(after.rbegin(), after.rend(),
                                            back > 0 ? from_host : to_host, &HostCopy::direction);
  const std::string name = output.empty() ? problem.signature.outputs.front().name : output;
  const std::string message =
      all_on_host
          ? fmt::format(
                "{1}inputs go to the host{2}: the CPU computes {0}, or part of it; compute it in a "
                "kernel",
                name, has_all ? "all " : "", back > 0 ? ", and results come back from it" : "")
          : fmt::format(
                "{0} is copied from the host after intermediate results were copied "
                "to it: the CPU computes the last step, so there is no time; compute "
                "all of {0} in kernels",
                name);
  return Finding{.kind = FindingKind::host_computation,
                 .severity = all_on_host ? Severity::error : Severity::warning,
                 .file = last.file,
                 .line = last.line,
                 .message = message};
}

Outcome call_on(const Problem& problem, void* entry, const Case& one_case, const Buffers& buffers,
                Device& device, int calls) {
  Arguments arguments = arguments_of(problem, one_case);
  for (const Buffer& buffer : buffers.tensors) arguments.tensors.push_back(buffer.data());
  device.take_host_copies();
  const bool can_read_at_return = device.delay_kernels();
  const auto began = std::chrono::steady_clock::now();
  std::optional<Finding> thrown;
  for (int i = 0; i < calls && !thrown; ++i) {
    device.order_streams();
    thrown = call(problem.signature, entry, arguments);
  }
  std::vector<HostCopy> copies = device.take_host_copies();
  std::vector<Bytes> at_return;
  if (can_read_at_return) {
    at_return = begins_of_outputs(problem, buffers, device);
    device.take_host_copies();  // the judge's own
  }
  const std::optional<Finding> failed = device.synchronize();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;

  Outcome outcome{.outputs = {},
                  .findings = device.take_findings(),
                  .seconds = seconds.count(),
                  .ended_slow = device.take_ended_slow()};
  if (outcome.ended_slow) {  // so it has freed nothing
    std::erase_if(outcome.findings,
                  [](const Finding& one) { return one.severity != Severity::error; });
    return outcome;
  }
  std::ranges::move(device.take_host_copies(), std::back_inserter(copies));
  if (const auto on_host = host_computation(problem, buffers, copies))
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
  if (!device.usable() || outcome.ended_slow) return outcome;
  read_results(problem, one_case.shape, inputs, buffers, outcome);
  return outcome;
}

}  // namespace kata
