#include "worker/gpu/gpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "worker/gpu/cuda_error.h"

namespace kata {
namespace {

constexpr std::size_t alignment_count = 128;             // floats: 512 bytes, as textures need
constexpr std::size_t least_guard_count = 1024;          // 4 KiB
constexpr std::size_t most_guard_count = (1 << 20) / 4;  // 1 MiB

/// As large as the buffer itself, so that a row too many is caught, within bounds.
std::size_t guard_count_for(std::size_t count) {
  const std::size_t wanted = std::clamp(count, least_guard_count, most_guard_count);
  return (wanted + alignment_count - 1) / alignment_count * alignment_count;
}

/// Word i of all guard zones: huge numbers of alternating sign, all different. A kernel that reads
/// one gets a sum or a maximum that nobody takes for right, which NaN does not do to fmaxf.
float guard_word(std::size_t i) {
  const auto mantissa = static_cast<std::uint32_t>(i) * 2654435761u >> 9;
  const auto sign = static_cast<std::uint32_t>(i) << 31;
  return std::bit_cast<float>(sign | 0x7f000000u | mantissa);
}

/// What the guard zones of buffer number `buffer` hold: a word that is copied from those of another
/// buffer shows.
std::vector<float> guard_pattern(std::size_t count, std::size_t buffer) {
  std::vector<float> pattern(count);
  for (std::size_t i = 0; i < count; ++i) pattern[i] = guard_word(i + buffer * most_guard_count);
  return pattern;
}

/// Which words of a guard zone were written.
struct Damage {
  std::size_t words = 0, first = 0, last = 0;
};

/// Compares a guard zone with the pattern and writes it anew if it was changed.
Damage inspect(float* guard, const std::vector<float>& pattern) {
  std::vector<float> found(pattern.size());
  const std::size_t bytes = pattern.size() * sizeof(float);
  Damage damage;
  if (cudaMemcpy(found.data(), guard, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) return damage;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(found[i]) == std::bit_cast<std::uint32_t>(pattern[i])) {
      continue;
    }
    if (damage.words++ == 0) damage.first = i;
    damage.last = i;
  }
  if (damage.words > 0) cudaMemcpy(guard, pattern.data(), bytes, cudaMemcpyHostToDevice);
  return damage;
}

/// `zone_start` is the index that the guard zone's first word would have in the buffer.
Finding overwritten(const char* where, const std::string& name, long long count,
                    const Damage& damage, long long zone_start) {
  return {
      .kind = FindingKind::out_of_bounds,
      .message = fmt::format(
          "{} bytes {} of {} were overwritten, from {}[{}] to {}[{}]; it has {} elements. Check "
          "the index against the size before the store",
          4 * damage.words, where, name, name, zone_start + static_cast<long long>(damage.first),
          name, zone_start + static_cast<long long>(damage.last), count)};
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
  for (const auto& [buffer, layout] : buffers_) cudaFree(buffer - layout.guard_count);
}

float* GpuDevice::allocate(std::size_t count, const std::string& name) {
  const std::size_t guard_count = with_guard_zones_ ? guard_count_for(count) : 0;
  void* base = nullptr;
  if (cudaMalloc(&base, (count + 2 * guard_count) * sizeof(float)) != cudaSuccess) {
    cudaGetLastError();  // or the candidate's next launch would seem to have failed
    return nullptr;
  }
  const std::vector<float> pattern = guard_pattern(guard_count, ++allocated_);
  float* buffer = static_cast<float*>(base) + guard_count;
  const std::size_t guard_bytes = guard_count * sizeof(float);
  cudaMemcpy(base, pattern.data(), guard_bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(buffer + count, pattern.data(), guard_bytes, cudaMemcpyHostToDevice);
  buffers_[buffer] = {name, count, guard_count, allocated_};
  return buffer;
}

void GpuDevice::release(float* buffer) {
  const auto place = buffers_.find(buffer);
  if (place == buffers_.end()) return;
  cudaFree(buffer - place->second.guard_count);
  buffers_.erase(place);
}

// A stream of the candidate's own need not wait for what the default stream still does: copies from
// pageable memory return once that is read, and copies on the device at once.
void GpuDevice::upload(float* buffer, const float* host, std::size_t count) {
  cudaMemcpy(buffer, host, count * sizeof(float), cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
}

void GpuDevice::download(float* host, const float* buffer, std::size_t count) {
  cudaMemcpy(host, buffer, count * sizeof(float), cudaMemcpyDeviceToHost);
}

void GpuDevice::poison(float* buffer, std::size_t count) {
  // One block from the host, then copies of what is filled already: cudaMemset knows only bytes.
  const std::vector<float> block(std::min(count, std::size_t{1} << 18),
                                 std::bit_cast<float>(poison_bits));
  upload(buffer, block.data(), block.size());
  for (std::size_t filled = block.size(); filled < count;) {
    const std::size_t more = std::min(filled, count - filled);
    cudaMemcpyAsync(buffer + filled, buffer, more * sizeof(float), cudaMemcpyDeviceToDevice);
    filled += more;
  }
  cudaDeviceSynchronize();
}

std::optional<Finding> GpuDevice::synchronize() {
  cudaError_t error = cudaGetLastError();  // a launch that was refused
  const cudaError_t while_running = cudaDeviceSynchronize();
  if (error == cudaSuccess) error = while_running;
  if (error == cudaSuccess) return std::nullopt;
  cudaGetLastError();  // clears what can be cleared; what stays needs a new process
  usable_ = cudaDeviceSynchronize() == cudaSuccess;
  return explain(error, properties_);
}

std::vector<Finding> GpuDevice::check_guards() {
  std::vector<Finding> findings;
  for (const auto& [buffer, layout] : buffers_) {
    const std::vector<float> pattern = guard_pattern(layout.guard_count, layout.number);
    const Damage before = inspect(buffer - layout.guard_count, pattern);
    const Damage after = inspect(buffer + layout.count, pattern);
    const auto count = static_cast<long long>(layout.count);
    const auto guard_count = static_cast<long long>(layout.guard_count);
    if (before.words > 0) {
      findings.push_back(overwritten("before the start", layout.name, count, before, -guard_count));
    }
    if (after.words > 0) {
      findings.push_back(overwritten("past the end", layout.name, count, after, count));
    }
  }
  return findings;
}

}  // namespace kata
