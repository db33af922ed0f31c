#pragma once
// Ends connections that take too long over one request or its answer. The library's time limit is
// for each read: a client that sends a byte now and then would hold a thread for ever.

#include <chrono>
#include <map>
#include <mutex>
#include <thread>

namespace kata::serve {

class Connections {
 public:
  explicit Connections(std::chrono::milliseconds patience) : patience_(patience) {}

  /// Those of this server's port, from now on.
  void watch(int port);

  /// The whole request from that port of the client has arrived: how long we take is our affair.
  void received(int client_port);
  /// Its answer is ready to be sent.
  void answered(int client_port);

 private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    Clock::time_point since = Clock::now();
    bool ours = false;  ///< we are working on the request
  };

  void end_late_ones(int port);

  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::map<int, Seen> seen_;  ///< by the client's port
  std::jthread watcher_;
};

}  // namespace kata::serve
