#include "emulator/runtime/launch/kernel_table.h"

#include <algorithm>

namespace kata::emulator {

Kernels& Kernels::instance() {
  static auto* kernels = new Kernels;  // never destroyed, as device memory
  return *kernels;
}

Kernels::Kernel Kernels::of(const void* function) const {
  const std::lock_guard lock(mutex_);
  // Unknown kernel: take the largest limit of all kernels.
  if (!function) return {.dynamic_limit = largest_limit_};
  const auto found = kernels_.find(function);
  return found == kernels_.end() ? Kernel{} : found->second;
}

void Kernels::allow_dynamic(const void* function, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  kernels_[function].dynamic_limit = std::max(bytes, limits::shared_per_block);
  largest_limit_ = std::max(largest_limit_, bytes);
}

void Kernels::allow_large_clusters(const void* function) {
  const std::lock_guard lock(mutex_);
  kernels_[function].cluster_limit = limits::blocks_per_cluster_opt_in;
}

void Kernels::set_launcher(const void* function, Launcher launch) {
  const std::lock_guard lock(mutex_);
  launchers_[function] = launch;
}

Kernels::Launcher Kernels::launcher(const void* function) const {
  const std::lock_guard lock(mutex_);
  const auto found = launchers_.find(function);
  return found == launchers_.end() ? nullptr : found->second;
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

using namespace kata::emulator;

void __kata_set_launcher(const void* kernel, Kernels::Launcher launcher) {
  Kernels::instance().set_launcher(kernel, launcher);
}

Kernels::Launcher __kata_launcher(const void* kernel) {
  return Kernels::instance().launcher(kernel);
}
