#pragma once
// Where there are several devices: what was issued and has not ended. Launches are under way
// together and may wait for each other or for the host. What waits for them, in their streams or
// for an event behind them, is kept until it may begin. All of it goes on while the host waits.

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/runtime/api/graphs.h"
#include "emulator/runtime/launch/incident.h"
#include "emulator/runtime/launch/streams.h"
#include "emulator/runtime/run/runner.h"

namespace kata::emulator {

/// One cudaEventRecord(): it happens when the work before it in its stream has ended.
struct EventRecord {
  std::atomic<bool> has_happened = false;
  std::chrono::steady_clock::time_point time = {};
  StreamClock clock = {};  ///< what has ended then
};

/// A launch as it was issued.
struct IssuedLaunch {
  LaunchConfig config;
  std::string name;
  void (*call)(void*);
  void* closure;
  const void *params_low, *params_high;
  std::shared_ptr<std::byte> copied;  ///< `closure` is that copy; null: it is the caller's
};

/// A call of the host's that waits, as a deadlock names it.
struct HostCall {
  const char* function;
  Place place;
};

class Pending {
 public:
  static Pending& instance();

  bool any() const { return any_.load(std::memory_order_relaxed); }

  /// Keeps a call that its stream cannot do yet; false: it can. `after`: it waits for that, too.
  bool keep(cudaStream_t stream, const GraphWork& call, const char* name, Place place,
            std::shared_ptr<const EventRecord> after = nullptr);
  void launch(IssuedLaunch launch);

  // The host waits.
  void finish_stream(StreamId stream, const HostCall& call);
  void finish_device(int device, const HostCall& call);
  void finish_event(const EventRecord& event, const HostCall& call);
  void finish_all(const HostCall& call);
  /// All have a turn: whether nothing of the stream is left.
  bool has_finished(StreamId stream, const HostCall& call);
  bool has_happened(const EventRecord& event, const HostCall& call);
  void give_turn(const HostCall& call);
  /// Whether something of the device has not ended.
  bool is_busy(int device);

 private:
  struct Work;
  using WorkRef = std::shared_ptr<Work>;

  std::uint64_t random_below(std::uint64_t count);
  bool is_behind(StreamId stream);
  void add(const WorkRef& work);
  std::vector<WorkRef> may_go_on();
  bool take_turns();
  bool advance(const WorkRef& work);
  bool advance_launch(Work& work);
  void finish(const std::function<bool(const Work&)>& is_wanted, const HostCall& call);
  void drive(const std::function<bool()>& is_done, const HostCall& call);
  void wait_once(const HostCall& call);
  bool may_still_go_on();
  void end_all(const HostCall* call);
  std::shared_ptr<const Blocked> blocked(const Work& work, const HostCall& call) const;

  mutable std::mutex mutex_;
  std::list<WorkRef> works_;  ///< in the order in which they were issued
  std::atomic<bool> any_ = false;
  std::uint64_t issued_ = 0;
  std::uint64_t random_ = 0;
  // Since when nothing goes on: time that the process has used, and whether a launch only idles.
  std::atomic<double> got_on_at_ = 0;
  bool idles_ = false;
};

}  // namespace kata::emulator
