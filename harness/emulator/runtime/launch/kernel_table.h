#pragma once
// What is known of each kernel function between its launches.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "emulator/runtime/launch/limits.h"

namespace kata::emulator {

class Kernels {
 public:
  using Launcher = int (*)(const LaunchConfig* config, void** arguments);
  struct Kernel {
    std::size_t dynamic_limit = limits::shared_per_block;
    unsigned cluster_limit = limits::blocks_per_cluster;
    std::size_t static_bytes = 0;  ///< as its launches have shown
    std::uint64_t launches = 0;
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
  void clear();

 private:
  mutable std::mutex mutex_;
  std::map<const void*, Kernel> kernels_;
  std::map<const void*, Launcher> launchers_;  ///< those of a module, for as long as it is loaded
  std::size_t largest_limit_ = limits::shared_per_block;
};

}  // namespace kata::emulator
