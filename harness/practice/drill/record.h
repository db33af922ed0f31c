#pragma once
// A drill as it is kept: it can be resumed after any end of the program.

#include <filesystem>
#include <optional>
#include <vector>

#include "practice/drill/item.h"
#include "practice/exercise/session_clock.h"
#include "practice/history.h"

namespace kata::drill {

struct State {
  Offer offer;
  SessionClock clock = {};
  Milliseconds limit{};               ///< 0: no clock runs
  std::vector<Points> points = {};    ///< of the questions so far, in their order
  std::filesystem::path sealed = {};  ///< a file that must be read first; empty: none, any more
  bool open = true;

  int score() const;
  /// Of the 100 points those that no answer has settled: one may settle later questions, too.
  int rest() const;
  bool is_over(const Item& item) const;
  /// No points for the next question; of the last one, for all that is not settled.
  Points skipped(const Item& item) const;
  bool late() const { return limit.count() > 0 && clock.worked() > limit; }
};

/// Minutes for an item.
Milliseconds limit_of(const Offer& offer);

/// easy: 90 points in half the time; good: 70; hard: 40, or late; again: less.
Grade grade_of(const State& state);

/// A drill in the history.
class Record {
 public:
  /// Those that are open, the one left last at the end. One that this kata cannot read is closed.
  static Result<std::vector<Record>> all_open(History& history);
  /// The last of those, if any; `kind`, `operator_name`: of that kind and about that operator.
  static Result<std::optional<Record>> find_open(History& history, const std::string& kind = {},
                                                 const std::string& operator_name = {});

  Record(State state, History& history) : state_(std::move(state)), history_(&history) {}

  State& state() { return state_; }
  const State& state() const { return state_; }

  /// Takes what the answer to the next question earned, and saves. A file that had to be read first
  /// may be judged once its repair is asked for.
  std::optional<Error> keep(const Points& points, const Item& item);
  /// Puts the state on the disk. Once it is over, its result, too.
  std::optional<Error> save();
  /// Ends it without a result: its item can no longer be asked.
  std::optional<Error> abandon();

 private:
  std::optional<Error> save_session();

  State state_;
  SessionRecord record_;
  History* history_;
};

}  // namespace kata::drill
