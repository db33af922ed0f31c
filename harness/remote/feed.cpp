#include "remote/feed.h"

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <utility>

namespace kata {

Feed::Feed() {
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_) != 0) return;
  sender_ = std::thread([this] { run(); });
}

Feed::~Feed() {
  end();
  if (sender_.joinable()) sender_.join();
  for (int end : ends_) {
    if (end >= 0) close(end);
  }
}

void Feed::send(std::string text) {
  const std::lock_guard lock(mutex_);
  waiting_ += text;
  changed_.notify_one();
}

void Feed::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  shutdown(ends_[1], SHUT_RDWR);  // also a send() that waits for a reader returns
  changed_.notify_one();
}

void Feed::run() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    const bool woken = changed_.wait_for(lock, std::chrono::seconds(sign_of_life_s),
                                         [this] { return ended_ || !waiting_.empty(); });
    std::string text = woken ? std::exchange(waiting_, {}) : "\n";
    lock.unlock();
    while (!text.empty()) {
      const ssize_t sent = ::send(ends_[1], text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;
      text.erase(0, static_cast<std::size_t>(sent));
    }
    lock.lock();
  }
}

}  // namespace kata
