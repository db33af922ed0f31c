#pragma once
// Checks that the page asked for, one after the other, each as `kata check` does it.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "grading/grade.h"
#include "serve/serve.h"

namespace kata::serve {

/// How far a check has come.
struct CheckState {
  int version = 0;                          ///< grows with each change
  std::string text = {};                    ///< that is judged
  std::string progress = {};                ///< "judging ..."
  std::vector<Finding> findings = {};       ///< so far
  std::optional<Report> right_so_far = {};  ///< the usual cases are right: large ones follow
  std::optional<Report> report = {};        ///< at the end
  std::string remark = {};                  ///< something is wrong with the history
};

class Checks {
 public:
  explicit Checks(const Settings& settings);
  /// Waits for the check under way; an interrupt ends that.
  ~Checks();

  /// Of the exercise's file as it is now.
  Result<std::int64_t> start(const Problem& problem);

  /// Waits a moment for a version after `seen`. Nothing if there is no such check, or no longer.
  std::optional<CheckState> state(std::int64_t id, int seen);

 private:
  void work();
  void judge(std::int64_t id, GradeRequest request);
  template <class Change>
  void update(std::int64_t id, const Change& change);

  Settings settings_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::int64_t, CheckState> states_;
  std::deque<std::pair<std::int64_t, GradeRequest>> waiting_;
  std::int64_t last_id_;
  bool stopping_ = false;
  std::thread worker_;
};

}  // namespace kata::serve
