#pragma once
// Findings and kernel records, kept until somebody takes them.

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/runtime/launch/incident.h"
#include "emulator/runtime/launch/launch.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/types/finding.h"
#include "emulator/types/kernel_record.h"

namespace kata::emulator {

class Findings {
 public:
  static Findings& instance();

  /// Merged with an earlier one of the same kind, line and kernel.
  void add(Finding finding, std::uint64_t count = 1);
  void add_host_incident(const Incident& incident);
  /// Host code compares what it has read here in an atomic operation: reads beside the atomics of a
  /// kernel were no race then.
  void confirm_host_reads(std::uintptr_t address);

  /// Adds the incidents and counts of a launch that is over, or its profile where it has one, and
  /// calls Options::launched.
  void add_launch(const Launch& launch);

  std::vector<Finding> take();
  std::vector<Finding> so_far();
  std::vector<KernelRecord> take_kernels();
  std::uint64_t take_switches();
  void add_memset(std::size_t bytes);
  std::vector<LaunchProfile> take_profiles();

 private:
  struct Counted {
    Finding finding;
    std::uint64_t count;
  };
  void add_locked(Finding finding, std::uint64_t count);
  void settle_host_incidents();
  std::vector<Finding> in_words() const;

  std::mutex mutex_;
  std::vector<Counted> findings_;
  std::vector<KernelRecord> kernels_;
  std::vector<LaunchProfile> profiles_;
  std::uint64_t switches_ = 0;
  IncidentLog host_incidents_;
};

}  // namespace kata::emulator
