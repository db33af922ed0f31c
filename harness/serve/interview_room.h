#pragma once
// The interview that the page shows: `kata interview` itself, which talks to the page as it would
// to a terminal, so that the two cannot say different things.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "practice/interview/interview.h"
#include "support/result.h"

namespace kata::serve {

class InterviewRoom {
 public:
  /// `address`: of the page, for a terminal that is told who holds the interview.
  explicit InterviewRoom(std::function<std::string()> address) : address_(std::move(address)) {}
  /// The interview is left, and can be resumed.
  ~InterviewRoom();

  struct Wanted {
    std::string operator_name;  ///< empty: what is due, else one by chance
    std::string minutes;        ///< empty: by difficulty
    std::string rounds;         ///< "write,viva,why", or empty
    bool whiteboard = false;
  };
  /// An Error if one is under way here. Whatever else prevents it, the interviewer says.
  std::optional<Error> begin(const Wanted& wanted);
  std::optional<Error> resume();

  /// Its clock stops, once a check that is under way has ended; it can be resumed.
  void leave();

  /// A line as it would be typed. An Error if nobody listens.
  std::optional<Error> say(const std::string& line);

  struct Heard {
    std::string text = {};  ///< all that was said since begin() or resume()
    bool running = false;   ///< somebody listens
  };
  /// Waits a moment for more than `seen` bytes, or for the end.
  Heard hear(std::size_t seen);

 private:
  std::optional<Error> start(std::vector<std::string> words);
  void talk(const std::vector<std::string>& words, int theirs);
  bool listen();

  const std::function<std::string()> address_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Heard heard_;
  int ours_ = -1;  ///< our end of the line to the interviewer
  std::thread thread_;
};

/// What SessionLock tells others of a page that holds something.
std::string page_holder(const std::string& address);

/// What the history says of the interview that is open.
struct OpenInterview {
  Interview state;
  Milliseconds left{};      ///< as if it had run since the last line
  std::string bug_in = {};  ///< a drill is about the faulty file of this operator
  bool at_repair = false;   ///< which may be written now
};
std::optional<OpenInterview> open_interview();

}  // namespace kata::serve
