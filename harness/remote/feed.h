#pragma once
// The standard input of a process that is to end when we do.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace kata {

/// How often a line is sent that says that we are still there, and how long the other side waits
/// for one.
inline constexpr int sign_of_life_s = 10;
inline constexpr int silence_limit_s = 60;

class Feed {
 public:
  Feed();
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  int reader() const { return ends_[0]; }  ///< for the process; -1: there is none

  void send(std::string text);
  void end();  ///< the process reads the end of the file

 private:
  void run();

  int ends_[2] = {-1, -1};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  bool ended_ = false;
  std::thread sender_;  // last: it uses the others
};

}  // namespace kata
