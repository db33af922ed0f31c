#pragma once
// The state of the emulated device that belongs to no part of it.

#include <chrono>
#include <mutex>

#include "emulator/emulator.h"

namespace kata::emulator {

struct Runtime {
  static Runtime& instance();

  std::mutex launching;  ///< one launch at a time: streams are in order, and run at once
  Options options;
  std::chrono::steady_clock::time_point slow_from;  ///< for Options::is_slow
  unsigned launches = 0;
  bool order_matters = false;  ///< of the blocks of some launch, since it was asked
};

}  // namespace kata::emulator
