#pragma once
// A timed interview as it is kept: it can be resumed after any end of the program.

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "practice/exercise/session_clock.h"
#include "practice/history.h"
#include "practice/interview/rounds.h"
#include "practice/interview/rubric.h"
#include "problems/spec/problem.h"
#include "support/result.h"

namespace kata {

inline constexpr const char* passed_answer = "pass";  ///< to a question that is left out

struct Interview {
  enum class Phase {
    working,    ///< the clock runs
    questions,  ///< submitted: the follow-up questions are being asked
    over,
    drills,  ///< submitted: the rounds after the writing, before the questions
  };

  std::string operator_name;
  bool whiteboard = false;  ///< nothing compiles until it is submitted
  Milliseconds limit{};
  SessionClock clock;
  Phase phase = Phase::working;
  int hints = 0;
  std::vector<std::string> asked = {};  ///< topics of clarifying questions
  /// How many of those came before the list of topics was shown, if it was.
  std::optional<std::size_t> asked_unprompted = {};
  std::vector<std::string> answers =
      {};                            ///< as typed, also passed_answer; to the follow-up questions
  std::vector<int> own_grades = {};  ///< of these answers: 0, 1 or 2
  Verdict verdict = Verdict::not_attempted;
  std::vector<drill::Kind> drills = {};   ///< after the writing, in their order
  std::vector<RoundResult> results = {};  ///< of the drills so far
  Rubric rubric = {};                     ///< of the writing, once it is submitted
  std::int64_t kept = 0;  ///< the attempt that holds the exercise's earlier text; 0: there was none

  Milliseconds left() const { return limit - clock.worked(); }
};

/// 15 for an easy operator, 25 for a medium one, 40 for a hard one.
int default_minutes(const Problem& problem);

/// How many tickets an operator has in the draw: what is asked often has many.
double tickets(const Problem& problem);

/// What an interviewer says at the start: enough to ask about, and no answer.
std::string opening_of(const Problem& problem);

/// The text that a whiteboard starts from: the entry function alone, without kernel or launch.
std::string whiteboard_text(const Problem& problem);

/// By chance, since an interview is no list; what is asked often comes up often.
const Problem& draw_operator(std::mt19937& chance);

/// An interview in the history. Without a history it can be held, but not resumed.
class InterviewRecord {
 public:
  /// The one that is open, if any. An Error where what is kept cannot be understood.
  static Result<std::optional<InterviewRecord>> find_open(History& history);

  /// The interview of that id, open or over; nothing where there is none or it cannot be read.
  static std::optional<Interview> find(const History& history, const std::string& uid);

  InterviewRecord(Interview state, History* history)
      : state_(std::move(state)), history_(history) {}

  Interview& state() { return state_; }
  const Interview& state() const { return state_; }
  const std::string& uid() const { return record_.uid; }
  Time started() const { return record_.started; }

  /// Puts the state on the disk, if there is a history; an Error says why it could not be.
  std::optional<Error> save();

 private:
  Interview state_;
  SessionRecord record_;
  History* history_;
};

/// Whether an interview is open whose rounds are drills: those are on its clock.
bool has_open_rounds(History& history);

/// Only one terminal holds an interview at a time, or a drill; the lock ends with the process,
/// however it ends.
class SessionLock {
 public:
  /// Set by who starts kata and speaks for it.
  static constexpr const char* holder_variable = "KATA_SESSION_HOLDER";

  /// `who` is what others are told while this holds it; empty: what holder_variable of the
  /// environment says, else that it is a terminal.
  explicit SessionLock(const char* kind, std::string who = {});
  ~SessionLock();
  SessionLock(const SessionLock&) = delete;
  SessionLock& operator=(const SessionLock&) = delete;

  /// False if another terminal holds it. True too where nothing can be locked (a read-only home).
  bool ours() const { return ours_; }
  /// Who holds it, if it is not ours: "the page".
  const std::string& holder() const { return holder_; }

  /// True while a process holds it: the clock of what is open runs.
  static bool is_held(const char* kind) { return !SessionLock(kind).ours(); }

 private:
  int descriptor_ = -1;
  bool ours_ = true;
  std::string holder_;
};

}  // namespace kata
