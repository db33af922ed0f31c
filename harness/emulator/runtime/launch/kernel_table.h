#pragma once
// What is known of each kernel function between its launches, on the current device.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "emulator/runtime/launch/limits.h"
#include "emulator/runtime/memory/devices.h"

namespace kata::emulator {

class Kernels {
 public:
  using Launcher = int (*)(const LaunchConfig* config, void** arguments);
  struct Kernel {
    std::size_t dynamic_limit = limits::shared_per_block;
    std::size_t allowed_dynamic = 0;  ///< by cudaFuncSetAttribute, 0 without it
    unsigned cluster_limit = limits::blocks_per_cluster;
    std::size_t static_bytes = 0;  ///< as its launches have shown
    std::uint64_t launches = 0;
    std::map<std::array<unsigned, 6>, std::uint64_t> marked = {};  ///< accesses, by grid and block
  };

  static Kernels& instance();

  /// `function` may be null: the candidate's code does not name a single function.
  Kernel of(const void* function) const;
  void allow_large_clusters(const void* function);
  void allow_dynamic(const void* function, std::size_t bytes);
  void set_launcher(const void* function, Launcher launch);
  Launcher launcher(const void* function) const;
  void saw_static(const void* function, std::size_t bytes);
  /// How many launches of it came before this one.
  std::uint64_t count_launch(const LaunchConfig& config);
  /// Accesses that its launches with this grid and block have marked; they may become more.
  std::uint64_t marked(const LaunchConfig& config, std::uint64_t more = 0);
  void clear();

 private:
  struct OfDevice {
    std::map<const void*, Kernel> kernels;
    std::size_t largest_limit = limits::shared_per_block;
  };
  const OfDevice& here() const { return devices_[static_cast<std::size_t>(current_device())]; }
  OfDevice& here() { return devices_[static_cast<std::size_t>(current_device())]; }

  mutable std::mutex mutex_;
  std::array<OfDevice, most_devices> devices_;
  std::map<const void*, Launcher> launchers_;  ///< those of a module, for as long as it is loaded
};

}  // namespace kata::emulator
