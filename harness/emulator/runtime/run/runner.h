#pragma once
// Where there are several devices, launches are under way at the same time and may wait for each
// other. Each has an OS thread of its own, as fibers never move, but only one of them runs, and
// only while a thread of the host waits for it: nothing happens at the same time.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

struct Launch;

class Runner {
 public:
  /// What a launch has done in its turn. `idled`: nothing, nor has it accessed memory.
  enum class Turn { ended, got_on, waited, idled };

  /// One that runs nothing, for this launch: it begins with its first turn.
  static Runner& take(Launch& launch);
  /// Lets the launch run until it ends, waits or has run for long.
  Turn resume();

  /// Called by the launch: the host goes on, and other launches. False: it is to end.
  bool give_way(Turn turn);

  /// Blocks of the launch that the device has room for, beside those of the others under way.
  static std::uint64_t room(const Launch& launch);

  /// What lets launches run while host code looks at memory again and again; null: none is under
  /// way.
  using Drive = void (*)(const Place& place);
  static void drive_from_host(Drive drive);
  static void host_polls(const Place& place);

 private:
  [[noreturn]] void work();
  void await(std::unique_lock<std::mutex>& lock, bool runs);

  std::mutex mutex_;
  std::condition_variable changed_;
  Launch* launch_ = nullptr;
  std::atomic<bool> runs_ = false;  ///< else it is the others' turn
  Turn turn_ = Turn::ended;
};

}  // namespace kata::emulator
