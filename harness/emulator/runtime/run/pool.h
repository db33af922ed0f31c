#pragma once
// The OS threads that help to run a launch. Made once; never joined, since a candidate may end the
// process from any of them.

#include <condition_variable>
#include <mutex>

#include "emulator/runtime/launch/launch.h"

namespace kata::emulator {

/// A stack that overflowed cannot take the frame of a signal's handler.
void use_alternate_signal_stack();

class Pool {
 public:
  static Pool& instance();

  /// Runs `launch` on the calling thread, with up to `helpers` others.
  void run(Launch& launch, unsigned helpers);
  /// On the calling thread alone.
  static void run_here(Launch& launch);

 private:
  void make_helpers(unsigned count);
  [[noreturn]] void help(unsigned number);

  std::mutex mutex_;
  std::condition_variable work_, done_;
  Launch* launch_ = nullptr;  ///< null: too late to join
  unsigned wanted_ = 0;       ///< helpers with a smaller number may join
  unsigned long generation_ = 0;
  unsigned joined_ = 0;
  unsigned made_ = 0;
};

}  // namespace kata::emulator
