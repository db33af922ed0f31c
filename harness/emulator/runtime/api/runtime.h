#pragma once
// The state of the emulated device that belongs to no part of it.

#include <chrono>
#include <mutex>

#include "emulator/emulator.h"

namespace kata::emulator {

/// Thrown to host code, and through it to its caller, where Options::launches_only can show no
/// more.
struct LaunchesSeen {};

struct Runtime {
  static Runtime& instance();

  std::mutex launching;  ///< one launch at a time: streams are in order, and run at once
  Options options;
  std::chrono::steady_clock::time_point slow_from;  ///< for Options::is_slow
  unsigned launches = 0;
  unsigned steps = 0;          ///< launches and copied rows since configure()
  bool order_matters = false;  ///< of the blocks of some launch, since it was asked

  /// Options::launches_only: how long a call may take is counted, since a right one may copy a
  /// million rows.
  void take_step() {
    constexpr unsigned most_steps = 10'000;
    if (options.launches_only && ++steps > most_steps) throw LaunchesSeen{};
  }
};

}  // namespace kata::emulator
