#pragma once
// What a person did: every attempt with its text, hints and solutions that were shown, interviews,
// drills. Kept in state_folder()/history.db; what an add() acknowledged survives kill -9.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"
#include "support/result.h"

namespace SQLite {
class Database;
class Statement;
}  // namespace SQLite

namespace kata {

/// Time of day in UTC.
using Time = std::chrono::sys_time<std::chrono::milliseconds>;
Time now();

/// The four grades of spaced repetition, as FSRS numbers them.
enum class Grade { again = 1, hard, good, easy };

/// "again", "hard", "good" or "easy".
const char* to_string(Grade grade);

enum class AttemptKind {
  check,
  watch,
  interview,
  reset,  ///< not judged: the text was kept when the stub came back in its place
};

const char* to_string(AttemptKind kind);

struct Attempt {
  std::int64_t id = 0;  ///< given by add()
  std::string operator_name;
  Time at{};  ///< of the verdict; left out: now
  AttemptKind kind = AttemptKind::check;
  std::optional<Verdict> verdict = {};  ///< empty: not judged
  std::filesystem::path path = {};      ///< of a file that is not the exercise; else empty
  std::optional<std::string> text = {};
  std::vector<Finding> findings = {};
  std::string backend = {};  ///< "gpu" or "emulator"
  std::string device = {};
  std::uint64_t seed = 0;
  std::chrono::milliseconds duration{};  ///< worked, where a clock ran (an interview); else 0
  int hints = 0;                         ///< taken for it
  bool solution_seen = false;            ///< a rung was shown meanwhile
  std::optional<Grade> grade = {};       ///< where it counts as a review
  std::string session = {};              ///< the uid of its interview
  int rung = 0, rungs = 0;               ///< its level on the ladder; 0: unknown
  std::string next_idea = {};            ///< what the next rung adds
  std::string size = {};                 ///< that was timed; empty: not timed
  double median_us = 0;                  ///< at that size
  double of_best = 0;  ///< the best rung's time or counts over this one's; 0: unknown
};

/// The attempt that a report describes: verdict, findings, backend, seed, time.
Attempt attempt_from(const Report& report, AttemptKind kind, std::string text);

/// How an attempt at an exercise ended, without its text and findings.
struct AttemptOutcome {
  std::string operator_name;
  Time at{};
  std::optional<Verdict> verdict = {};
  std::optional<Grade> grade = {};
  int rung = 0, rungs = 0;  ///< as in Attempt, like the rest
  std::string next_idea = {};
  double median_us = 0;
};

/// Something other than an attempt that a grade depends on.
struct Event {
  enum class Kind { hint, solution, reset };
  std::string operator_name;
  Kind kind;
  std::string detail = {};   ///< which hint, which rung
  std::string session = {};  ///< the uid of the interview it happened in
  Time at{};                 ///< left out: now
};

/// One answer to a card of `kata quiz`.
struct CardReview {
  std::string card;  ///< Card::id()
  Grade grade = Grade::again;
  Time at{};  ///< left out: now
};

/// One item of `kata drill` that was answered to its end.
struct DrillResult {
  std::string kind;    ///< "bug"
  std::string item;    ///< "softmax_rows/half_warp"
  std::string topic;   ///< "race"
  int score = 0;       ///< of 100
  bool found = false;  ///< the score is that of the grade `good`
  Grade grade = Grade::again;
  Time at{};  ///< left out: now
};

/// A session that can be resumed. `data` is its state, a JSON object that whoever runs the session
/// gives a shape to.
struct SessionRecord {
  std::string uid = {};  ///< given by the first save()
  std::string operator_name;
  std::string kind;  ///< "interview" or "drill"
  bool open = true;  ///< can be resumed
  Time started{};    ///< left out: now
  Time updated{};    ///< given by save()
  std::string data = "{}";
};

/// One connection. Not for two threads at once; two processes are no trouble.
class History {
 public:
  /// Makes the database where there is none.
  static Result<History> open();

  History(History&&) noexcept;
  ~History();

  /// A line that the person should read, or empty: a damaged history was set aside, or this home
  /// folder can only be read.
  const std::string& notice() const { return notice_; }

  /// Returns the attempt's id once it is on the disk.
  Result<std::int64_t> add(const Attempt& attempt);

  /// What came after the verdict of an attempt that is kept already: verdict, findings, grade,
  /// level and times. The rest of it stays.
  std::optional<Error> complete(const Attempt& attempt);

  std::optional<Error> add(const Event& event);
  std::optional<Error> add(const CardReview& review);
  std::optional<Error> add(const DrillResult& result);
  std::optional<Error> save(SessionRecord& session);

  /// At the exercise, oldest first; of every operator if the name is empty.
  Result<std::vector<Attempt>> attempts(const std::string& operator_name = "") const;
  /// The same in short: a hundred times quicker where there are thousands.
  Result<std::vector<AttemptOutcome>> outcomes(const std::string& operator_name = "") const;
  /// Attempts at any file, without their texts: all, or the last `newest`.
  Result<std::vector<Attempt>> attempts_in_short(const std::string& operator_name = "",
                                                 std::optional<int> newest = {}) const;
  /// With their texts.
  Result<std::vector<Attempt>> attempts_at_any_file(const std::string& operator_name = "") const;
  Result<std::vector<Event>> events(const std::string& operator_name, Time since) const;
  /// Of every card, oldest first.
  Result<std::vector<CardReview>> card_reviews() const;
  /// Oldest first.
  Result<std::vector<DrillResult>> drill_results() const;
  Result<std::vector<SessionRecord>> open_sessions() const;
  Result<std::optional<SessionRecord>> session(const std::string& uid) const;

  /// Nothing if there is no attempt of that id.
  Result<std::optional<Attempt>> attempt(std::int64_t id) const;

  /// The verdict of the last attempt with this very text, if any.
  std::optional<Verdict> verdict_of(const std::string& operator_name,
                                    const std::string& text) const;

  /// True if anything of this operator was ever judged.
  bool knows(const std::string& operator_name) const;

  /// One JSON object per line: all that there is.
  Result<std::string> exported() const;

  /// Adds what is not there yet, all or nothing; returns how many rows were new. An Error names the
  /// line that is wrong.
  Result<int> import(const std::string& lines);

 private:
  History(std::filesystem::path file, std::shared_ptr<SQLite::Database> database,
          std::string notice);

  SQLite::Statement newest_rows(const std::string& columns, const std::string& condition,
                                const std::string& operator_name,
                                std::optional<int> limit = {}) const;
  Result<std::vector<Attempt>> attempts_where(const std::string& columns,
                                              const std::string& condition,
                                              const std::string& operator_name,
                                              std::optional<int> newest = {}) const;

  std::filesystem::path file_;
  std::shared_ptr<SQLite::Database> database_;
  std::string notice_;
};

}  // namespace kata
