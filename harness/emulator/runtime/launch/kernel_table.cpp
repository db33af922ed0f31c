#include "emulator/runtime/launch/kernel_table.h"

#include <algorithm>

namespace kata::emulator {
namespace {

/// Where no function is named, the launch's text stands for it.
const void* key_of(const LaunchConfig& config) {
  return config.function ? config.function : config.kernel;
}

}  // namespace

Kernels& Kernels::instance() {
  static auto* kernels = new Kernels;  // never destroyed, as device memory
  return *kernels;
}

Kernels::Kernel Kernels::of(const void* function) const {
  const std::lock_guard lock(mutex_);
  // Unknown kernel: take the largest limit of all kernels.
  if (!function)
    return {.dynamic_limit = here().largest_limit, .allowed_dynamic = here().largest_limit};
  const auto found = here().kernels.find(function);
  return found == here().kernels.end() ? Kernel{} : found->second;
}

void Kernels::allow_dynamic(const void* function, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  OfDevice& device = here();
  Kernel& kernel = device.kernels[function];
  kernel.dynamic_limit = std::max(bytes, limits::shared_per_block);
  kernel.allowed_dynamic = bytes;
  device.largest_limit = std::max(device.largest_limit, bytes);
}

void Kernels::allow_large_clusters(const void* function) {
  const std::lock_guard lock(mutex_);
  here().kernels[function].cluster_limit = limits::blocks_per_cluster_opt_in;
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
  Kernel& kernel = here().kernels[function];
  kernel.static_bytes = std::max(kernel.static_bytes, bytes);
}

std::uint64_t Kernels::count_launch(const LaunchConfig& config) {
  const std::lock_guard lock(mutex_);
  return here().kernels[key_of(config)].launches++;
}

std::uint64_t Kernels::marked(const LaunchConfig& config, std::uint64_t more) {
  const std::lock_guard lock(mutex_);
  const Triple &grid = config.grid, &block = config.block;
  return here()
             .kernels[key_of(config)]
             .marked[{grid.x, grid.y, grid.z, block.x, block.y, block.z}] += more;
}

void Kernels::clear() {
  const std::lock_guard lock(mutex_);
  here() = {};
}

}  // namespace kata::emulator

using namespace kata::emulator;

void __kata_set_launcher(const void* kernel, Kernels::Launcher launcher) {
  Kernels::instance().set_launcher(kernel, launcher);
}

Kernels::Launcher __kata_launcher(const void* kernel) {
  return Kernels::instance().launcher(kernel);
}
