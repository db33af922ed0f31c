#pragma once
// Notices that the last page of a drill or an interview was closed. A page holds one answer open as
// long as it lives: a browser slows the timers of a hidden page, but ends that only with the page.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace kata::serve {

class Presence {
 public:
  /// `gone` is called `patience` after the last page was closed: one that is left for the next, or
  /// loaded again, is away for a moment.
  explicit Presence(std::function<void()> gone,
                    std::chrono::milliseconds patience = std::chrono::seconds(10));
  ~Presence();

  /// Something is done for a page as long as the value lives: it cannot be missed meanwhile.
  std::shared_ptr<void> at_work();
  /// A page is open as long as the value lives.
  std::shared_ptr<void> page();

 private:
  void wait_for_absence(const std::stop_token& stop);

  const std::function<void()> gone_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  int here_ = 0;
  bool had_page_ = false;  ///< since gone_ was called: a client without pages is not waited for
  std::jthread watcher_;
};

}  // namespace kata::serve
