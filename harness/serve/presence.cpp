#include "serve/presence.h"

#include <utility>

namespace kata::serve {

Presence::Presence(std::function<void()> gone, std::chrono::milliseconds patience)
    : gone_(std::move(gone)),
      patience_(patience),
      watcher_([this](const std::stop_token& stop) { wait_for_absence(stop); }) {}

Presence::~Presence() {
  watcher_.request_stop();
  watcher_.join();
}

std::shared_ptr<void> Presence::at_work() {
  const std::lock_guard lock(mutex_);
  ++here_;
  changed_.notify_all();
  return {this, [this](void*) {
            const std::lock_guard guard(mutex_);
            --here_;
            changed_.notify_all();
          }};
}

std::shared_ptr<void> Presence::page() {
  std::shared_ptr<void> here = at_work();
  const std::lock_guard lock(mutex_);
  had_page_ = true;
  return here;
}

void Presence::wait_for_absence(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return had_page_ && here_ == 0; })) {
    const bool back = changed_.wait_for(lock, stop, patience_, [this] { return here_ > 0; });
    if (back || stop.stop_requested()) continue;
    had_page_ = false;
    lock.unlock();
    gone_();
    lock.lock();
  }
}

}  // namespace kata::serve
