// What follows a submission: the verdict, the rubric and the questions.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/interview/interviewer.h"
#include "cli/terminal/prose.h"
#include "cli/terminal/terminal.h"
#include "grading/grade.h"
#include "practice/drill/choose.h"
#include "practice/record.h"
#include "report/layout.h"
#include "report/text/text.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/text.h"

namespace kata::cli {
namespace {

using namespace std::chrono_literals;

constexpr int best_answer = 2;  // a follow-up question is worth 0, 1 or 2

// An exercise puts first what decides how the kernel is written.
constexpr std::size_t questions_that_matter = 4;

std::vector<std::string> first(std::vector<std::string> words, std::size_t most) {
  words.resize(std::min(words.size(), most));
  return words;
}

double seconds(Milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

/// "25 of 25  why", with what does not fit below it.
std::string rubric_line(const std::string& name, const std::string& points,
                        const std::string& why) {
  const std::string head = fmt::format("  {:<24}{:>9}   ", name, points);
  return layout::beside(head, why);
}

/// `quit`, `give up`, Ctrl-C or the end of the input.
bool leaves_questions(const std::optional<std::string>& line) {
  if (!line) return true;
  const std::string_view said = trimmed(*line);
  return said == "quit" || said == "give up";
}

/// It needs what this backend does not have.
bool neither_right_nor_wrong(const Report& report) {
  return has_kind(report.findings, FindingKind::unsupported);
}

std::string rubric_text(const Rubric& rubric) {
  std::string text;
  for (const Criterion& one : rubric.criteria) {
    text += rubric_line(one.name, fmt::format("{} of {}", one.points, one.of), one.why);
  }
  if (rubric.hints > 0) {
    text += rubric_line("hints", fmt::format("-{}", rubric.lost_to_hints),
                        fmt::format("{} taken, {} points each", rubric.hints, points_per_hint));
  }
  return text + rubric_line("total", fmt::format("{} of 100", rubric.total), "");
}

/// "conditions: input 60, outcome 0 of 40"
std::string points_text(const RoundResult& result) {
  if (!result.left_out.empty()) return result.left_out;
  std::vector<std::string> parts;
  for (const drill::Points& one : result.points) {
    const std::string of = one.got == one.of ? "" : fmt::format(" of {}", one.of);
    parts.push_back(fmt::format("{} {}{}", to_string(one.question), one.got, of));
  }
  return drill::words_of_topic(to_string(result.kind), result.topic) + ": " + joined(parts, ", ");
}

}  // namespace

/// In another terminal, say, since the interview began.
Help Interviewer::help_elsewhere() const {
  Help help;
  if (!history_) return help;
  const auto events = history_->events(problem_.name, record_.started());
  if (!events) return help;
  for (const Event& event : *events) {
    help.solution_seen |= event.kind == Event::Kind::solution;
    help.hints += event.kind == Event::Kind::hint && event.session != record_.uid();
  }
  return help;
}

/// Alone, if the judge did not come as far as that case; nothing if it cannot be run at all.
std::optional<bool> Interviewer::main_case_right(const Report& report, Candidate candidate) const {
  const Case main = main_case(problem_);
  for (const CaseResult& one : report.cases) {
    if (one.tested == main) return one.verdict == Verdict::pass;
  }
  if (report.verdict == Verdict::error) return {};
  Progress progress(session_.plain);
  progress.say("judging the main case");
  candidate.size = main.shape;
  candidate.values = main.values;
  candidate.reals = main.reals;
  const Report alone = grade({.candidate = std::move(candidate),
                              .backend = backend_,
                              .seed = report.seed,
                              .with_ladder = false});
  if (alone.verdict == Verdict::error || alone.cases.empty()) return {};
  return alone.verdict == Verdict::pass;
}

void Interviewer::submit() {
  state().clock.tick(instant_now());  // the clock stops here, not when the judge has finished
  const std::optional<Candidate> candidate = read();
  if (!candidate) return;
  const Report report = judge(*candidate, true);
  if (report.verdict == Verdict::not_attempted || candidate->text == whiteboard_text(problem_)) {
    fmt::print("{}", layout::paragraph(
                         fmt::format("There is nothing to submit yet: {} is as I gave it to you. "
                                     "Write there, save, then `submit`.",
                                     shown(exercise(problem_.name))),
                         0));
    return;
  }
  if (neither_right_nor_wrong(report)) {
    fmt::print("\n{}\nNot judged. Write it another way, or `give up`.\n",
               result_text(report, {.color = color_wanted(session_.plain)}) +
                   verdict_text(report, {.color = color_wanted(session_.plain)}));
    return;
  }
  if (interrupted()) return;
  const std::optional<bool> main_right = main_case_right(report, *candidate);
  if (interrupted()) return;
  const Attempt judged = attempt_from(report, AttemptKind::interview, "");
  const Help elsewhere = help_elsewhere();
  state().hints += elsewhere.hints;
  const Rubric rubric = judge_submission(
      {.problem = problem_,
       .report = report,
       .main_right = main_right,
       .of_best = judged.of_best,
       .worked = state().clock.worked(),
       .limit = state().limit,
       .hints = state().hints,
       .matters = first(topics(), questions_that_matter),
       .asked = first(state().asked, state().asked_unprompted.value_or(state().asked.size())),
       .typical = typical_launch(problem_, report, *candidate, session_.config.chip)});
  const Grade grade = grade_of({.verdict = report.verdict,
                                .solution_seen = elsewhere.solution_seen,
                                .hints = state().hints,
                                .worked_s = seconds(state().clock.worked()),
                                .limit_s = seconds(state().limit),
                                .of_best = judged.of_best});
  record_attempt(report, candidate->text, judged.of_best, grade);
  state().verdict = report.verdict;
  state().rubric = rubric;
  state().limit += time_for(state().drills);
  state().phase = state().drills.empty() ? Interview::Phase::questions : Interview::Phase::drills;
  save();
  show_result(report, rubric, grade);
}

void Interviewer::record_attempt(const Report& report, const std::string& text, double of_best,
                                 std::optional<Grade> grade) {
  if (!history_) return;
  Attempt attempt = attempt_from(report, AttemptKind::interview, text);
  attempt.duration = state().clock.worked();
  attempt.hints = state().hints;
  attempt.grade = grade;
  attempt.session = record_.uid();
  attempt.of_best = of_best;
  if (const auto id = history_->add(attempt); !id) say_unkept(id.error());
}

void Interviewer::show_result(const Report& report, const Rubric& rubric, Grade grade) {
  const bool color = color_wanted(session_.plain);
  const TextOptions how{.color = color, .rows = screen_rows(session_.plain)};
  fmt::print("\n{}{}\n", result_text(report, how), verdict_text(report, how));
  pause_before("your points", false);
  fmt::print("{}{}", rubric_text(rubric), grade_line(grade));
}

/// The date comes from the history, which has this grade by now.
std::string Interviewer::grade_line(Grade grade) const {
  const std::string word =
      layout::paint(to_string(grade), layout::Color::bold, color_wanted(session_.plain));
  std::string line = fmt::format("Grade: {}", word);
  if (kept_) {
    const auto attempts = history_->outcomes(problem_.name);
    const auto standing = attempts ? standing_of(*attempts) : std::nullopt;
    if (standing) line += fmt::format(". It is asked again on {}.", date_of(standing->due_day));
  }
  return line + "\n";
}

/// On a screen what is there stays until the person has read it. False: they leave.
bool Interviewer::pause_before(const std::string& what, bool may_leave) {
  if (!screen_wanted(session_.plain)) return true;
  const std::string question =
      fmt::format("Enter for {}{} > ", what, may_leave ? " (or `quit`)" : "");
  reader_.drop_typed();
  for (;;) {
    const auto line = reader_.read([&] { return question; });
    if (!line || (may_leave && leaves_questions(line))) return false;
    if (trimmed(*line).empty()) return true;
    fmt::print("{}", layout::paragraph(fmt::format("Press Enter first; \"{}\" was not used.",
                                                   layout::cut(std::string(trimmed(*line)), 40)),
                                       0));
  }
}

void Interviewer::follow_up() {
  const std::size_t all = text_.follow_up.size();  // the first fits below the points
  while (state().own_grades.size() < all) {
    const std::size_t number = state().own_grades.size();
    const Question& question = text_.follow_up[number];
    fmt::print("\nQuestion {} of {}\n{}\n", number + 1, all,
               layout::paragraph(question.question, 2));
    fmt::print("Type your answer, or say it aloud and press Enter (`pass`, `quit`).\n");
    const auto answer = reader_.read([] { return std::string("> "); });
    if (leaves_questions(answer)) return end_questions();
    const bool passed = trimmed(*answer) == passed_answer;
    compare_with(question, passed ? "" : *answer);
    const std::optional<int> points = passed ? std::optional(0) : own_grade();
    if (!points) return end_questions();
    state().answers.emplace_back(trimmed(*answer));
    state().own_grades.push_back(*points);
    save();
  }
  end_questions();
}

/// The model answer, and which of its terms the person's has.
void Interviewer::compare_with(const Question& question, const std::string& answer) const {
  fmt::print("\n{}\n", prose(question.answer, 2));
  if (trimmed(answer).empty()) return;
  const Listener::KeyTerms terms = listener_.key_terms(question.answer, answer);
  if (!terms.named.empty())
    fmt::print("{}", layout::paragraph("You named: " + joined(terms.named, ", "), 2));
  if (!terms.missing.empty())
    fmt::print("{}", layout::paragraph("Also there: " + joined(terms.missing, ", "), 2));
}

/// The answer is graded by then: whoever leaves the questions ends the interview.
void Interviewer::end_questions() {
  int sum = 0;
  for (const int points : state().own_grades) sum += points;
  const std::size_t answered = state().own_grades.size(), all = text_.follow_up.size();
  close();
  fmt::print("\nQuestions: {} of {}, by your own grading{}.\n", sum,
             best_answer * static_cast<int>(all),
             answered < all ? fmt::format(" ({} not answered)", all - answered) : "");
  if (!state().drills.empty()) report_rounds();
  say_what_is_next();
}

void Interviewer::report_rounds() const {
  const Interview& done = state();
  fmt::print("\nReport on {}, {} of {}{}\n", done.operator_name, clock_text(done.clock.worked()),
             clock_text(done.limit), done.left() < 0ms ? ", over time" : "");
  fmt::print("{}", rubric_text(done.rubric));
  for (const RoundResult& one : done.results) {
    fmt::print("{}", rubric_line(to_string(one.kind), fmt::format("{} of 100", one.score()),
                                 points_text(one)));
  }
  fmt::print(
      "{}", rubric_line("all rounds", fmt::format("{} of 100", total_of(done.rubric, done.results)),
                        "the mean of the writing and of each kind of drill"));
}

void Interviewer::say_what_is_next() const {
  if (state().kept) {
    fmt::print("To restore what was there before:\n  {} history {} --text > {}\n", command_name(),
               state().kept, shell_word(shown(exercise(problem_.name))));
  }
  fmt::print("Next: how it is done, idea by idea\n  {} show {}\n", command_name(), problem_.name);
}

/// 0, 1 or 2; nothing if the person leaves.
std::optional<int> Interviewer::own_grade() {
  for (;;) {
    const auto line = reader_.read(
        [] { return std::string("Your answer was: 0 wrong, 1 partly right, 2 right > "); });
    if (leaves_questions(line)) return {};
    const std::string_view said = trimmed(*line);
    if (said == "0" || said == "1" || said == "2") return said[0] - '0';
    fmt::print("Type 0, 1 or 2, or `quit`.\n");
  }
}

}  // namespace kata::cli
