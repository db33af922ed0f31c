#include "worker/gpu/timed_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "judge/judge.h"
#include "worker/gpu/peers.h"

namespace kata {
namespace {

constexpr std::size_t pool_elements = std::size_t{1} << 20;

/// In bytes: the kernel that fills them writes whole granules.
std::size_t whole_granules(std::size_t bytes) {
  const std::size_t granule = CeilingKernels::granule * sizeof(float);
  return (bytes + granule - 1) / granule * granule;
}

/// `host` in device memory of its own; null if there is not enough.
DeviceArray<std::byte> upload(std::span<const std::byte> host) {
  auto memory = allocate_array<std::byte>(host.size());
  if (memory) cudaMemcpy(memory.get(), host.data(), host.size(), cudaMemcpyHostToDevice);
  return memory;
}

/// How the tensors of a problem whose inputs depend on one another change together: their order
/// and their indices must stay. Where an output selects elements, a factor would move a bound; a
/// byte has too few bits for one.
Renewal renewal_of_arranged(const Problem& problem, Type type) {
  const bool only_floats =
      std::ranges::all_of(problem.signature.outputs, is_float, &Parameter::type);
  return only_floats && is_float(type) && size_of(type) > 1 ? Renewal::scale : Renewal::copy;
}

Renewal renewal_of(const Problem& problem, const Parameter& tensor) {
  if (tensor.kind == Parameter::Kind::output) return Renewal::poison;
  if (problem.arrange) return renewal_of_arranged(problem, tensor.type);
  if (tensor.draw) return Renewal::mix;
  return tensor.type == Type::f32 ? Renewal::fill : Renewal::gather;
}

/// Draws two at the same time: it takes seconds for large tensors.
template <class Function>
auto drawn_twice(std::uint64_t seed, Function draw) {
  auto second = std::async(std::launch::async, draw, ~seed);
  auto first = draw(seed);
  std::vector<decltype(first)> both;
  both.push_back(std::move(first));
  both.push_back(second.get());
  return both;
}

/// Elements from which those of a tensor are gathered; two bytes or one are, four at a time.
std::size_t pool_of(const DeviceTensor& tensor) {
  return std::min((tensor.count + 3) / 4 * 4, pool_elements);
}

/// What new contents are made of: one array or two; none if a kernel makes them from nothing.
std::vector<Array> contents(const DeviceTensor& tensor, std::size_t input, const Case& one_case,
                            const std::vector<Inputs>& arranged, std::uint64_t seed) {
  const auto draw = [&](const Draw& rule, std::size_t count, std::uint64_t of) {
    Array drawn(tensor.parameter->type, count);
    rule(drawn, one_case, Random(of).stream(input + 1));
    return drawn;
  };
  std::vector<Array> drawn;
  switch (tensor.renewal) {
    case Renewal::gather:
      drawn.push_back(draw(draw::as_the_case_says(), pool_of(tensor), seed));
      break;
    case Renewal::mix:
      return drawn_twice(
          seed, [&](std::uint64_t of) { return draw(tensor.parameter->draw, tensor.count, of); });
    case Renewal::scale:
    case Renewal::copy:
      for (const Inputs& one : arranged) drawn.push_back(one[input]);
      break;
    default:
      break;
  }
  return drawn;
}

}  // namespace

Result<TimedBuffers> TimedBuffers::make(const Problem& problem, const Shape& shape,
                                        std::uint64_t seed, const CeilingKernels& kernels) {
  TimedBuffers buffers;
  buffers.kernels_ = kernels;
  buffers.arguments_ = arguments_of(problem, {shape});
  const Case one_case{shape, Values::uniform, buffers.arguments_.reals};
  std::vector<Inputs> arranged;
  if (problem.arrange) {
    arranged =
        drawn_twice(seed, [&](std::uint64_t of) { return make_inputs(problem, one_case, of); });
  }
  const Error too_large{
      fmt::format("not timed: {} does not fit into this GPU's free memory", to_string(shape))};
  buffers.devices_ = static_cast<std::size_t>(devices_of(problem, shape));
  std::size_t input = 0;
  for (const Parameter& parameter : problem.signature.tensors) {
    const DeviceTensor whole{.parameter = &parameter,
                             .count = elements(parameter, shape),
                             .renewal = renewal_of(problem, parameter)};
    std::vector<Array> drawn;
    if (whole.is_drawn()) drawn = contents(whole, input++, one_case, arranged, seed);
    Dims dims = parameter.dims(shape);
    const std::size_t devices = parameter.is_on_each_device ? buffers.devices_ : 1;
    if (parameter.is_on_each_device) dims.erase(dims.begin());
    std::vector<void*> parts;
    for (std::size_t device = 0; device < devices; ++device) {
      DeviceTensor part{.parameter = &parameter,
                        .device = static_cast<int>(device),
                        .count = whole.count / devices,
                        .renewal = whole.renewal};
      if (!dims.empty() && dims.front() > 0) part.rows = static_cast<std::size_t>(dims.front());
      if (!buffers.add(std::move(part), drawn)) return too_large;
      parts.push_back(buffers.tensors_.back().memory.get());
    }
    buffers.parts_.push_back(std::move(parts));
    std::vector<void*>& pointers = buffers.parts_.back();
    buffers.arguments_.tensors.push_back(parameter.is_on_each_device ? pointers.data()
                                                                     : pointers.front());
  }
  return buffers;
}

bool TimedBuffers::add(DeviceTensor tensor, const std::vector<Array>& contents) {
  const OnDevice current(tensor.device);
  tensor.memory = allocate_array<std::byte>(whole_granules(tensor.bytes()));
  if (tensor.is_compared())
    tensor.picked = allocate_array<std::byte>(picks * size_of(tensor.parameter->type));
  if (!tensor.memory || (tensor.is_compared() && !tensor.picked)) return false;
  for (const Array& one : contents) {
    std::span<const std::byte> bytes = one.bytes();
    if (tensor.renewal != Renewal::gather)
      bytes =
          bytes.subspan(static_cast<std::size_t>(tensor.device) * tensor.bytes(), tensor.bytes());
    if (auto memory = upload(bytes)) tensor.drawn.push_back(std::move(memory));
  }
  const bool needs_drawn = tensor.renewal != Renewal::poison && tensor.renewal != Renewal::fill;
  if (needs_drawn && tensor.drawn.empty()) return false;
  if (tensor.renewal == Renewal::mix && tensor.drawn.size() == 1) tensor.renewal = Renewal::copy;
  tensors_.push_back(std::move(tensor));
  return true;
}

void TimedBuffers::renew(const DeviceTensor& tensor, std::uint64_t tensor_seed,
                         std::uint64_t call_seed) const {
  std::byte* const to = tensor.memory.get();
  const auto bytes = static_cast<long long>(tensor.bytes());
  const std::vector<DeviceArray<std::byte>>& drawn = tensor.drawn;
  const auto one_of = [&] { return drawn[call_seed % drawn.size()].get(); };
  switch (tensor.renewal) {
    case Renewal::poison:
      cudaMemsetAsync(to, 0xff, tensor.bytes());
      break;
    case Renewal::fill:
      kernels_.fill(reinterpret_cast<float*>(to),
                    static_cast<long long>(whole_granules(tensor.bytes()) / sizeof(float)),
                    static_cast<unsigned>(tensor_seed));
      break;
    case Renewal::gather: {
      const std::size_t pool_bytes = pool_of(tensor) * size_of(tensor.parameter->type);
      kernels_.gather(reinterpret_cast<const unsigned*>(drawn[0].get()),
                      static_cast<long long>(pool_bytes / 4), reinterpret_cast<unsigned*>(to),
                      (bytes + 3) / 4, tensor_seed);
      break;
    }
    case Renewal::mix:
      kernels_.mix(drawn[0].get(), drawn[1].get(), to, bytes,
                   bytes / static_cast<long long>(tensor.rows), tensor_seed);
      break;
    case Renewal::scale: {
      const auto factor = static_cast<float>(1 - Random(call_seed).uniform(0) / 2);
      kernels_.scale(tensor.parameter->type)(one_of(), to, static_cast<long long>(tensor.count),
                                             factor);
      break;
    }
    case Renewal::copy:
      cudaMemcpyAsync(to, one_of(), tensor.bytes(), cudaMemcpyDeviceToDevice);
      break;
  }
}

void TimedBuffers::renew(std::uint64_t seed) const {
  const Random random(seed);
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const OnDevice current(tensors_[i].device);
    renew(tensors_[i], random.word(i), random.word(tensors_.size()));
  }
  finish_devices(devices_);
}

void TimedBuffers::enqueue_picks(std::uint64_t seed) const {
  if (devices_ > 1) finish_devices(devices_);
  for (const DeviceTensor& tensor : tensors_) {
    if (!tensor.is_compared()) continue;
    const OnDevice current(tensor.device);
    kernels_.pick(tensor.memory.get(), tensor.picked.get(), static_cast<long long>(tensor.count),
                  static_cast<int>(size_of(tensor.parameter->type)), picks, seed);
  }
}

const Parameter& TimedBuffers::compared(std::size_t output) const {
  std::size_t i = 0;
  while (!tensors_[i].is_compared() || output-- > 0) ++i;
  return *tensors_[i].parameter;
}

std::vector<Array> TimedBuffers::picked() const {
  std::vector<Array> result;
  for (const DeviceTensor& tensor : tensors_) {
    if (!tensor.is_compared()) continue;
    Array& one = result.emplace_back(tensor.parameter->type, std::size_t{picks});
    cudaMemcpy(one.bytes().data(), tensor.picked.get(), one.bytes().size(), cudaMemcpyDeviceToHost);
  }
  return result;
}

}  // namespace kata
