#include "worker/gpu/gpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "worker/gpu/cuda_error.h"
#include "worker/gpu/host_copies.h"
#include "worker/gpu/peers.h"

namespace kata {
namespace {

constexpr std::size_t alignment = 512;        // bytes, as textures need
constexpr std::size_t least_guard = 4 << 10;  // bytes
constexpr std::size_t most_guard = 1 << 20;

/// Bytes: as many as the buffer itself has, so that a row too many is caught, within bounds.
std::size_t guard_bytes_for(std::size_t bytes) {
  const std::size_t wanted = std::clamp(bytes, least_guard, most_guard);
  return (wanted + alignment - 1) / alignment * alignment;
}

/// Word i of all guard zones round floats: huge numbers of alternating sign, all different. A
/// kernel that reads one gets a sum or a maximum that is clearly wrong; NaN would not show in
/// fmaxf. Round two-byte floats each half of the word is such a number; integers are arbitrary.
std::uint32_t guard_word(Type type, std::size_t i) {
  const std::uint32_t random = static_cast<std::uint32_t>(i) * 2654435761u;
  const auto sign = static_cast<std::uint32_t>(i) << 31;
  switch (type) {
    case Type::f32:
      return sign | 0x7f000000u | random >> 9;
    case Type::f16:
      return 0x7800f800u | (random >> 6 & 0x03ff0000u) | (random >> 22);
    case Type::bf16:
      return 0x7f00ff00u | (random >> 9 & 0x007f0000u) | (random >> 25);
    default:
      return random;
  }
}

/// What the guard zones of buffer number `number` hold: a word that is copied from those of another
/// buffer shows.
std::vector<std::byte> guard_pattern(Type type, std::size_t bytes, std::size_t number) {
  std::vector<std::uint32_t> words(bytes / sizeof(std::uint32_t));
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = guard_word(type, i + number * (most_guard / sizeof(std::uint32_t)));
  }
  std::vector<std::byte> pattern(bytes);
  if (bytes > 0) std::memcpy(pattern.data(), words.data(), bytes);
  return pattern;
}

/// Which elements of a guard zone were written.
struct Damage {
  std::size_t elements = 0, first = 0, last = 0;
};

/// Compares a guard zone with the pattern and restores it if it was changed.
Damage inspect(std::byte* guard, const std::vector<std::byte>& pattern, std::size_t element_size) {
  std::vector<std::byte> found(pattern.size());
  Damage damage;
  if (cudaMemcpy(found.data(), guard, found.size(), cudaMemcpyDeviceToHost) != cudaSuccess) {
    return damage;
  }
  for (std::size_t i = 0; i < found.size(); i += element_size) {
    if (std::memcmp(&found[i], &pattern[i], element_size) == 0) continue;
    if (damage.elements++ == 0) damage.first = i / element_size;
    damage.last = i / element_size;
  }
  if (damage.elements > 0)
    cudaMemcpy(guard, pattern.data(), pattern.size(), cudaMemcpyHostToDevice);
  return damage;
}

/// `zone_start` is the index that the guard zone's first element would have in the buffer.
Finding overwritten(const char* where, const std::string& name, std::size_t element_size,
                    long long count, const Damage& damage, long long zone_start) {
  return {
      .kind = FindingKind::out_of_bounds,
      .message = fmt::format(
          "{} bytes {} of {} were overwritten, from {}[{}] to {}[{}]; it has {} elements. Check "
          "the index against the size before the store",
          element_size * damage.elements, where, name, name,
          zone_start + static_cast<long long>(damage.first), name,
          zone_start + static_cast<long long>(damage.last), count)};
}

}  // namespace

Result<cudaDeviceProp> open_gpu() {
  int count = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
  cudaDeviceProp properties{};
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, 0);
  if (error != cudaSuccess) return Error{explain_no_device(error)};
  return properties;
}

GpuDevice::~GpuDevice() {
  for (const auto& [buffer, layout] : buffers_) cudaFree(buffer - layout.guard_bytes);
}

void* GpuDevice::allocate(Type type, std::size_t count, const std::string& name) {
  const std::size_t bytes = count * size_of(type);
  const std::size_t guard_bytes = with_guard_zones_ ? guard_bytes_for(bytes) : 0;
  void* base = nullptr;
  if (cudaMalloc(&base, bytes + 2 * guard_bytes) != cudaSuccess) {
    cudaGetLastError();  // or the candidate's next launch would seem to have failed
    return nullptr;
  }
  const std::vector<std::byte> pattern = guard_pattern(type, guard_bytes, ++allocated_);
  std::byte* buffer = static_cast<std::byte*>(base) + guard_bytes;
  cudaMemcpy(base, pattern.data(), guard_bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(buffer + bytes, pattern.data(), guard_bytes, cudaMemcpyHostToDevice);
  buffers_[buffer] = {name, type, count, guard_bytes, allocated_};
  return buffer;
}

void GpuDevice::release(void* buffer) {
  const auto place = buffers_.find(static_cast<std::byte*>(buffer));
  if (place == buffers_.end()) return;
  cudaFree(place->first - place->second.guard_bytes);
  buffers_.erase(place);
}

// A stream of the candidate's own need not wait for what the default stream still does: copies from
// pageable memory return once that is read, and copies on the device at once.
void GpuDevice::upload(void* buffer, const void* host, std::size_t bytes) {
  cudaMemcpy(buffer, host, bytes, cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
}

void GpuDevice::download(void* host, const void* buffer, std::size_t bytes) {
  cudaMemcpy(host, buffer, bytes, cudaMemcpyDeviceToHost);
}

void GpuDevice::copy(void* to, const void* from, std::size_t bytes) {
  cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
}

void GpuDevice::poison(void* buffer, std::size_t bytes, std::uint32_t word) {
  // One block from the host, then copies of what is filled already: cudaMemset knows only bytes.
  const std::vector<std::uint32_t> block(std::min(bytes / sizeof word + 1, std::size_t{1} << 18),
                                         word);
  auto* const begin = static_cast<std::byte*>(buffer);
  std::size_t filled = std::min(bytes, block.size() * sizeof word);
  upload(begin, block.data(), filled);
  while (filled < bytes) {
    const std::size_t more = std::min(filled, bytes - filled);
    copy(begin + filled, begin, more);
    filled += more;
  }
}

bool GpuDevice::delay_kernels() {
  if (occupy_) occupy_();
  return occupy_ != nullptr;
}

int GpuDevice::devices() const {
  return device_count();
}

int GpuDevice::current() const {
  int device = 0;
  cudaGetDevice(&device);
  return device;
}

void GpuDevice::make_current(int device) {
  cudaSetDevice(device);
}

CUstream_st* GpuDevice::stream(int device) {
  if (streams_.empty()) streams_ = open_devices();
  return streams_[static_cast<std::size_t>(device)];
}

void GpuDevice::queue_copy(int device, void* to, const void* from, std::size_t bytes,
                           const char* /*name*/) {
  cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream(device));
}

std::vector<HostCopy> GpuDevice::take_host_copies() {
  return take_noted_copies();
}

std::optional<Finding> GpuDevice::synchronize() {
  cudaError_t error = cudaGetLastError();  // a launch that was refused
  cudaError_t while_running = cudaSuccess;
  for (const cudaStream_t stream : streams_)
    if (while_running == cudaSuccess) while_running = cudaStreamSynchronize(stream);
  if (while_running == cudaSuccess) while_running = cudaDeviceSynchronize();
  if (error == cudaSuccess) error = while_running;
  if (error == cudaSuccess) return std::nullopt;
  cudaGetLastError();  // clears what can be cleared; what stays needs a new process
  usable_ = cudaDeviceSynchronize() == cudaSuccess;
  return explain(error, properties_);
}

std::vector<Finding> GpuDevice::check_guards() {
  std::vector<Finding> findings;
  for (const auto& [buffer, layout] : buffers_) {
    const std::vector<std::byte> pattern =
        guard_pattern(layout.type, layout.guard_bytes, layout.number);
    const std::size_t size = size_of(layout.type);
    const Damage before = inspect(buffer - layout.guard_bytes, pattern, size);
    const Damage after = inspect(buffer + layout.count * size, pattern, size);
    const auto count = static_cast<long long>(layout.count);
    if (before.elements > 0) {
      findings.push_back(overwritten("before the beginning", layout.name, size, count, before,
                                     -static_cast<long long>(layout.guard_bytes / size)));
    }
    if (after.elements > 0) {
      findings.push_back(overwritten("past the end", layout.name, size, count, after, count));
    }
  }
  return findings;
}

}  // namespace kata
