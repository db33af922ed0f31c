#include "emulator/runtime/run/runner.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "emulator/runtime/launch/launch.h"
#include "emulator/runtime/run/pool.h"

namespace kata::emulator {
namespace {

struct Runners {
  std::mutex mutex;
  std::vector<Runner*> idle;
  std::vector<const Launch*> launches;  ///< under way

  static Runners& instance() {
    static auto* runners = new Runners;  // never destroyed: a candidate may end the process
    return *runners;
  }
};

std::atomic<Runner::Drive> driven_from_host = nullptr;

}  // namespace

Runner& Runner::take(Launch& launch) {
  Runners& all = Runners::instance();
  const std::lock_guard lock(all.mutex);
  if (all.idle.empty()) {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);  // an arena of its own would grow page by page, by a call each time
#endif
    all.idle.push_back(new Runner);
    std::thread([runner = all.idle.back()] { runner->work(); }).detach();
  }
  Runner& runner = *all.idle.back();
  all.idle.pop_back();
  all.launches.push_back(&launch);
  runner.launch_ = &launch;
  return runner;
}

/// Turns are short: a thread looks for its own for a while before it sleeps.
void Runner::await(std::unique_lock<std::mutex>& lock, bool runs) {
  constexpr unsigned looks = 4000;
  changed_.notify_all();
  lock.unlock();
  for (unsigned i = 0; i < looks && runs_ != runs; ++i)
    std::atomic_signal_fence(std::memory_order_seq_cst);
  lock.lock();
  changed_.wait(lock, [&] { return runs_ == runs; });
}

Runner::Turn Runner::resume() {
  std::unique_lock lock(mutex_);
  runs_ = true;
  await(lock, false);
  if (turn_ != Turn::ended) return turn_;
  Runners& all = Runners::instance();
  const std::lock_guard lock_all(all.mutex);
  std::erase(all.launches, launch_);
  all.idle.push_back(this);
  return turn_;
}

bool Runner::give_way(Turn turn) {
  std::unique_lock lock(mutex_);
  turn_ = turn;
  runs_ = false;
  await(lock, true);
  return !launch_->is_to_end;
}

void Runner::work() {
  use_alternate_signal_stack();
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return runs_.load(); });
    }
    Pool::run_here(*launch_);
    const std::lock_guard lock(mutex_);
    turn_ = Turn::ended;
    runs_ = false;
    changed_.notify_all();
  }
}

std::uint64_t Runner::room(const Launch& launch) {
  Runners& all = Runners::instance();
  const std::lock_guard lock(all.mutex);
  double used = 0;
  for (const Launch* other : all.launches) {
    if (other != &launch && other->device == launch.device)
      used += static_cast<double>(other->resident) / static_cast<double>(other->capacity());
  }
  constexpr double rounding = 1e-9;
  return static_cast<std::uint64_t>(static_cast<double>(launch.capacity()) *
                                    std::max(0.0, 1 - used + rounding));
}

void Runner::drive_from_host(Drive drive) {
  driven_from_host = drive;
}

void Runner::host_polls(const Place& place) {
  if (const Drive drive = driven_from_host.load(std::memory_order_relaxed)) drive(place);
}

}  // namespace kata::emulator
