#include "cli/interviewer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <random>

#include "cli/hint.h"
#include "cli/nearest.h"
#include "cli/prose.h"
#include "cli/terminal.h"
#include "grading/grade.h"
#include "practice/record.h"
#include "practice/review.h"
#include "report/layout.h"
#include "report/text.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/process.h"

namespace kata::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto save_every = 5s;  // what a kill -9 can lose of the clock
constexpr int best_answer = 2;   // a follow-up question is worth 0, 1 or 2

std::string lower(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(letter));
  return text;
}

std::string without_spaces_around(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

void tell(const std::string& text) {
  fmt::print("{}", layout::paragraph(text, 0));
}

double seconds(Milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

/// "25 of 25  why", with what does not fit below it.
std::string rubric_line(const std::string& name, const std::string& points,
                        const std::string& why) {
  const std::string head = fmt::format("  {:<24}{:>9}   ", name, points);
  const std::string lines = layout::paragraph(why, head.size());
  return head + (lines.empty() ? "\n" : lines.substr(head.size()));
}

/// It needs what this backend does not have.
bool neither_right_nor_wrong(const Report& report) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [](const Finding& one) { return one.kind == "unsupported"; });
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

}  // namespace

Interviewer::Interviewer(const Problem& problem, ExerciseText text, InterviewRecord& record,
                         History* history, LineReader& reader, Backend backend,
                         const Session& session)
    : problem_(problem),
      text_(std::move(text)),
      record_(record),
      history_(history),
      reader_(reader),
      backend_(backend),
      session_(session),
      kept_(history != nullptr),
      saved_at_(record.state().clock.worked()) {}

void Interviewer::state_task() const {
  const bool color = color_wanted(session_.plain);
  const std::string place = shown(exercise(problem_.name));
  fmt::print("\n{}\n\n{}\n",
             layout::paint(fmt::format("{}, {} minutes{}", problem_.name, state().limit / 1min,
                                       state().whiteboard ? ", on the whiteboard" : ""),
                           layout::Color::bold, color),
             prose(text_.task, 2));
  tell(state().whiteboard
           ? fmt::format("Write kernel, block size, grid size and the call in {}. Nothing compiles "
                         "until you submit.",
                         place)
           : fmt::format("Write in {} with your own editor.", place));
  tell(
      "What would you ask before you begin? `ask` lists the topics, `help` what else you can "
      "say.");
}

std::vector<Interviewer::Spoken> Interviewer::commands() {
  const auto plainly = [this](void (Interviewer::*action)()) {
    return [this, action](const std::string&) { (this->*action)(); };
  };
  return {
      {"ask", "a clarifying question: `ask` lists the topics, `ask sizes` asks",
       [this](const std::string& rest) { ask(rest); }},
      {"check", "is it right so far? Costs nothing", plainly(&Interviewer::check)},
      {"hint", fmt::format("the next hint; costs {} points", points_per_hint),
       plainly(&Interviewer::hint)},
      {"submit", "that is your answer: the rubric, then the questions that follow",
       plainly(&Interviewer::submit)},
      {"time", "how long you have worked, and how long you were away",
       plainly(&Interviewer::tell_time)},
      {"task", "the task again", [this](const std::string&) { state_task(); }},
      {"give up", "end it without an answer", plainly(&Interviewer::give_up)},
      {"quit", "leave; `kata interview --resume` goes on",
       [this](const std::string&) { left_ = true; }},
      {"help", "this list", plainly(&Interviewer::help)},
  };
}

int Interviewer::run() {
  save();
  if (state().phase == Interview::Phase::working) work();
  if (state().phase == Interview::Phase::questions && !left_) follow_up();
  return state().phase == Interview::Phase::over ? exit_status(state().verdict) : leave();
}

void Interviewer::work() {
  while (!left_ && state().phase == Interview::Phase::working) {
    const auto line = reader_.read([this] { return prompt(); });
    if (!line) {
      left_ = true;
    } else {
      obey(without_spaces_around(*line));
    }
    if (state().phase == Interview::Phase::working) {
      state().clock.tick(instant_now());
      save();
    }
  }
}

/// Keeps the time, too: it is asked for every second.
std::string Interviewer::prompt() {
  state().clock.tick(instant_now());
  if (state().clock.worked() - saved_at_ >= save_every) save();
  const Milliseconds left = std::chrono::ceil<std::chrono::seconds>(state().left());
  return left < 0ms ? fmt::format("[over time by {}] > ", clock_text(-left))
                    : fmt::format("[{} left] > ", clock_text(left));
}

void Interviewer::obey(const std::string& line) {
  if (line.empty()) return;
  const std::string said = lower(line);
  std::vector<std::string> words;
  for (const Spoken& command : commands()) {
    if (said == command.word || said.starts_with(command.word + " ")) {
      return command.action(without_spaces_around(said.substr(command.word.size())));
    }
    words.push_back(command.word);
  }
  tell(fmt::format("I do not know \"{}\". Did you mean {}? `help` lists what you can say.", line,
                   nearest(said, words)));
}

void Interviewer::help() {
  for (const Spoken& command : commands()) {
    fmt::print("  {:<9}{}\n", command.word, command.help);
  }
}

void Interviewer::ask(const std::string& topic) {
  std::vector<std::string> topics;
  for (const Question& one : text_.clarify) topics.push_back(one.topic);
  const std::string can_ask = fmt::format("You can ask about: {}. Say `ask {}`, for one.",
                                          fmt::join(topics, ", "), topics.front());
  if (topic.empty()) return tell(can_ask);
  const auto found =
      std::find_if(text_.clarify.begin(), text_.clarify.end(),
                   [&](const Question& one) { return one.topic.starts_with(topic); });
  if (found == text_.clarify.end()) {
    return tell(fmt::format("There is no topic {}. {}", topic, can_ask));
  }
  auto& asked = state().asked;
  if (std::find(asked.begin(), asked.end(), found->topic) == asked.end()) {
    asked.push_back(found->topic);
  }
  fmt::print("{}{}", layout::paragraph(found->question, 2), prose(found->answer, 4));
}

void Interviewer::tell_time() {
  fmt::print("Worked {} of {}", clock_text(state().clock.worked()), clock_text(state().limit));
  if (state().clock.away() >= 1s) {
    fmt::print("; you were away for {}, which is not counted", rough_text(state().clock.away()));
  }
  fmt::print(".\n");
}

void Interviewer::hint() {
  const auto next = static_cast<std::size_t>(state().hints) + 1;
  if (next > text_.hints.size()) {
    return tell("Those were all the hints. Write what you have, then `check` or `submit`.");
  }
  state().hints = static_cast<int>(next);
  if (history_) {
    history_->add(Event{.operator_name = problem_.name,
                        .kind = Event::Kind::hint,
                        .detail = std::to_string(next),
                        .session = record_.uid()});
  }
  fmt::print("{}", hint_text(text_.hints, next));
  tell(fmt::format("It costs {} points. Next: write and `check`{}.", points_per_hint,
                   next < text_.hints.size() ? ", or `hint` for more" : "; that was the last"));
}

bool Interviewer::untouched() const {
  return read_file(exercise(problem_.name)) == whiteboard_text(problem_);
}

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

Report Interviewer::judge(bool with_ladder) const {
  Progress progress(session_.plain);
  return grade({.source = exercise(problem_.name),
                .problem = &problem_,
                .backend = backend_,
                .seed = std::random_device{}() % 1'000'000,
                .with_ladder = with_ladder,
                .progress = [&progress](const std::string& what) { progress.say(what); }});
}

void Interviewer::check() {
  if (state().whiteboard) {
    return tell("On a whiteboard nothing compiles. `submit` when you would show it.");
  }
  const Report report = judge(false);
  if (interrupted()) return;
  fmt::print("\n{}", verdict_text(report, {.color = color_wanted(session_.plain)}));
  if (report.verdict != Verdict::not_attempted) record_attempt(report, 0, {});
  const char* const next = report.verdict == Verdict::pass ? "`submit`, or make it faster first"
                           : report.verdict == Verdict::not_attempted
                               ? "write the kernel, save, and `check` again"
                               : "mend it and `check` again; `hint` costs points";
  fmt::print("Next: {}\n", next);
}

/// Alone, if the judge did not come as far as that case.
bool Interviewer::main_case_right(const Report& report) const {
  const Case& main = main_case(problem_);
  for (const CaseResult& one : report.cases) {
    if (one.name == to_string(main)) return one.verdict == Verdict::pass;
  }
  if (report.verdict == Verdict::error) return false;
  Progress progress(session_.plain);
  progress.say("judging the main case");
  return grade({.source = exercise(problem_.name),
                .problem = &problem_,
                .backend = backend_,
                .size = main.shape,
                .seed = report.seed,
                .with_ladder = false})
             .verdict == Verdict::pass;
}

void Interviewer::submit() {
  state().clock.tick(instant_now());  // the clock stops here, not when the judge has finished
  Report report = judge(true);
  if (report.verdict == Verdict::not_attempted || untouched()) {
    return tell(
        fmt::format("There is nothing to submit yet: {} is as I gave it to you. Write there, save, "
                    "then `submit`.",
                    shown(exercise(problem_.name))));
  }
  if (neither_right_nor_wrong(report)) {
    fmt::print("\n{}\nNot judged. Write it another way, or `give up`.\n",
               verdict_text(report, {.color = color_wanted(session_.plain)}));
    return;
  }
  const bool main_right = !interrupted() && main_case_right(report);
  if (interrupted()) return;
  const Attempt judged = attempt_from(report, AttemptKind::interview, "");
  const Help elsewhere = help_elsewhere();
  state().hints += elsewhere.hints;
  const Rubric rubric = judge_submission({.problem = problem_,
                                          .report = report,
                                          .main_right = main_right,
                                          .of_best = judged.of_best,
                                          .worked = state().clock.worked(),
                                          .limit = state().limit,
                                          .hints = state().hints});
  const Grade grade = grade_of({.verdict = report.verdict,
                                .solution_seen = elsewhere.solution_seen,
                                .hints = state().hints,
                                .worked_s = seconds(state().clock.worked()),
                                .limit_s = seconds(state().limit),
                                .of_best = judged.of_best});
  record_attempt(report, judged.of_best, grade);
  state().verdict = report.verdict;
  state().phase = Interview::Phase::questions;
  save();
  show_result(report, rubric, grade);
}

void Interviewer::record_attempt(const Report& report, double of_best, std::optional<Grade> grade) {
  if (!history_) return;
  Attempt attempt =
      attempt_from(report, AttemptKind::interview, read_file(exercise(problem_.name)).value_or(""));
  attempt.duration = state().clock.worked();
  attempt.hints = state().hints;
  attempt.grade = grade;
  attempt.session = record_.uid();
  attempt.of_best = of_best;
  if (const auto id = history_->add(attempt); !id) say_unkept(id.error());
}

void Interviewer::show_result(const Report& report, const Rubric& rubric, Grade grade) const {
  const bool color = color_wanted(session_.plain);
  fmt::print("\n{}\n{}\n{}", verdict_text(report, {.color = color}), rubric_text(rubric),
             grade_line(grade));
  std::vector<std::string> not_asked;
  for (const Question& one : text_.clarify) {
    const auto& asked = state().asked;
    if (std::find(asked.begin(), asked.end(), one.topic) == asked.end()) {
      not_asked.push_back(one.topic);
    }
  }
  if (!not_asked.empty()) {
    fmt::print("{}", layout::paragraph(fmt::format("A good candidate also asks about: {}",
                                                   fmt::join(not_asked, ", ")),
                                       0));
  }
}

/// The date comes from the history, which has this grade by now.
std::string Interviewer::grade_line(Grade grade) const {
  const std::string word =
      layout::paint(to_string(grade), layout::Color::bold, color_wanted(session_.plain));
  std::string line = fmt::format("Grade: {}", word);
  if (kept_) {
    const auto attempts = history_->attempts(problem_.name);
    const auto standing = attempts ? standing_of(*attempts) : std::nullopt;
    if (standing) line += fmt::format(". It is asked again on {}.", date_of(standing->due_day));
  }
  return line + "\n";
}

void Interviewer::give_up() {
  state().verdict = Verdict::fail;
  Report report;
  report.operator_name = problem_.name;
  report.verdict = Verdict::fail;
  record_attempt(report, 0, Grade::again);
  close();
  fmt::print("\nIt is over.\n{}", grade_line(Grade::again));
  say_what_is_next();
}

void Interviewer::follow_up() {
  const std::size_t all = text_.follow_up.size();
  while (state().own_grades.size() < all) {
    const std::size_t number = state().own_grades.size();
    const Question& question = text_.follow_up[number];
    fmt::print("\nQuestion {} of {}\n{}\n", number + 1, all,
               layout::paragraph(question.question, 2));
    const auto answer =
        reader_.read([] { return std::string("Say it aloud, then Enter (or `quit`) > "); });
    left_ = !answer || without_spaces_around(*answer) == "quit";
    if (left_) return;
    fmt::print("\n{}\n", prose(question.answer, 2));
    const std::optional<int> points = own_grade();
    left_ = !points;
    if (left_) return;
    state().own_grades.push_back(*points);
    save();
  }
  int sum = 0;
  for (const int points : state().own_grades) sum += points;
  close();
  fmt::print("\nQuestions: {} of {}, by your own grading.\n", sum,
             best_answer * static_cast<int>(all));
  say_what_is_next();
}

void Interviewer::say_what_is_next() const {
  if (state().kept) {
    fmt::print("To have back what was there before:\n  {} history {} --text > {}\n", command_name(),
               state().kept, shown(exercise(problem_.name)));
  }
  fmt::print("Next: how it is done, idea by idea: {} show {}\n", command_name(), problem_.name);
}

/// 0, 1 or 2; nothing if the person leaves.
std::optional<int> Interviewer::own_grade() {
  for (;;) {
    const auto line =
        reader_.read([] { return std::string("Yours was: 0 wrong, 1 in part, 2 right > "); });
    const std::string said = line ? without_spaces_around(*line) : "quit";
    if (said == "quit") return {};
    if (said == "0" || said == "1" || said == "2") return said[0] - '0';
    fmt::print("0, 1 or 2, or `quit`.\n");
  }
}

void Interviewer::close() {
  state().phase = Interview::Phase::over;
  save();
}

void Interviewer::save() {
  saved_at_ = state().clock.worked();
  if (const std::optional<Error> error = record_.save()) say_unkept(*error);
}

void Interviewer::say_unkept(const Error& error) {
  if (!kept_) return;  // that was said
  kept_ = false;
  warn(fmt::format("this interview is not kept and cannot be resumed: {}", error.message));
}

int Interviewer::leave() {
  save();
  fmt::print("\nLeft after {} of {}. ", clock_text(state().clock.worked()),
             clock_text(state().limit));
  if (kept_) {
    fmt::print("Go on with it:\n  {} interview --resume\n", command_name());
  } else {
    fmt::print("It was not kept. Begin another:\n  {} interview {}\n", command_name(),
               problem_.name);
  }
  return exit_status(state().verdict);
}

}  // namespace kata::cli
