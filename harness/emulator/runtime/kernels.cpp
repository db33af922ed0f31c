#include "emulator/runtime/kernels.h"

#include <algorithm>

namespace kata::emulator {

Kernels& Kernels::instance() {
  static auto* kernels = new Kernels;  // never destroyed, as device memory
  return *kernels;
}

Kernels::Kernel Kernels::of(const void* function) const {
  const std::lock_guard lock(mutex_);
  // Nobody knows which kernel it is: what any kernel may have must do.
  if (!function) return {largest_limit_, 0};
  const auto found = kernels_.find(function);
  return found == kernels_.end() ? Kernel{} : found->second;
}

void Kernels::allow_dynamic(const void* function, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  kernels_[function].dynamic_limit = std::max(bytes, limits::shared_per_block);
  largest_limit_ = std::max(largest_limit_, bytes);
}

void Kernels::saw_static(const void* function, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  Kernel& kernel = kernels_[function];
  kernel.static_bytes = std::max(kernel.static_bytes, bytes);
}

std::uint64_t Kernels::count_launch(const LaunchConfig& config) {
  const std::lock_guard lock(mutex_);
  // Where no function is named, the launch's text stands for it.
  const void* key = config.function ? config.function : config.kernel;
  return kernels_[key].launches++;
}

void Kernels::clear() {
  const std::lock_guard lock(mutex_);
  kernels_.clear();
  largest_limit_ = limits::shared_per_block;
}

}  // namespace kata::emulator
