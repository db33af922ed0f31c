#include "worker/gpu/host_copies.h"

#include <mutex>
#include <utility>

namespace kata {
namespace {

std::mutex mutex;
std::vector<HostCopy> copies;

}  // namespace

void note_copy(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  using enum HostCopy::Direction;
  const bool is_read = kind == cudaMemcpyDeviceToHost;
  if (!is_read && kind != cudaMemcpyHostToDevice) return;
  const std::lock_guard lock(mutex);
  copies.push_back(
      {.device = is_read ? from : to, .bytes = bytes, .direction = is_read ? to_host : from_host});
}

std::vector<HostCopy> take_noted_copies() {
  const std::lock_guard lock(mutex);
  return std::exchange(copies, {});
}

}  // namespace kata
