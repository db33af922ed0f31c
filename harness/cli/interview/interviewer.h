#pragma once
// The other side of the table: states the task, answers, keeps the time, judges what is submitted
// and asks the questions that follow.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/terminal/keyboard.h"
#include "compile/compile.h"
#include "grading/candidate.h"
#include "practice/exercise/exercise_text.h"
#include "practice/interview/interview.h"
#include "practice/interview/listening.h"
#include "practice/review.h"

namespace kata::cli {

class Interviewer {
 public:
  Interviewer(const Problem& problem, ExerciseText text, const Listener& listener,
              InterviewRecord& record, History* history, LineReader& reader, Backend backend,
              bool with_emulator, const Session& session);

  /// The task in a sentence, where to write, what was asked already, and what can be said.
  void state_task() const;

  /// Until it is over, or the person leaves. Returns what the process exits with: the verdict's
  /// status, 77 while there is none.
  int run();

 private:
  struct Spoken {
    std::string word;
    std::string help;
    std::function<void()> action;
  };
  std::vector<Spoken> commands();

  void work();
  void obey(const std::string& line);
  std::string prompt();
  void help();
  void ask(const std::string& question);
  void answer(const std::string& topic) const;
  void quote(const std::string& title, const std::string& sentence) const;
  void list_topics();
  void show_whole_task();
  void end_of_points();
  std::vector<std::size_t> meant_by(const std::string& question) const;
  void check();
  void hint();
  void submit();
  void tell_time();
  void tell_once_that_time_is_up();
  void give_up();
  void clear_whiteboard();

  std::optional<Candidate> read();
  Report judge(const Candidate& candidate, bool with_ladder) const;
  Help help_elsewhere() const;
  std::optional<bool> main_case_right(const Report& report, Candidate candidate) const;
  void record_attempt(const Report& report, const std::string& text, double of_best,
                      std::optional<Grade> grade);
  std::vector<std::string> topics() const;
  void show_result(const Report& report, const Rubric& rubric, Grade grade);
  std::string grade_line(Grade grade) const;

  bool pause_before(const std::string& what, bool may_leave = true);
  void hold_drills();
  bool hold_drill(drill::Kind kind);
  void follow_up();
  void compare_with(const Question& question, const std::string& answer) const;
  std::optional<int> own_grade();
  void end_questions();
  void report_rounds() const;
  void close();

  void save();
  void say_unkept(const Error& error);
  void say_what_is_next() const;
  int leave();
  Interview& state() { return record_.state(); }
  const Interview& state() const { return record_.state(); }

  const Problem& problem_;
  const ExerciseText text_;
  const Listener& listener_;
  InterviewRecord& record_;
  History* const history_;
  LineReader& reader_;
  const Backend backend_;
  const bool with_emulator_;
  const Session& session_;
  bool left_ = false;
  bool kept_;                ///< in the history, as far as is known
  Milliseconds saved_at_{};  ///< time worked at the last save
  bool time_is_up_;          ///< and the person knows
};

}  // namespace kata::cli
