#include "cli/interview/interviewer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <random>

#include "cli/first/hint.h"
#include "cli/terminal/prose.h"
#include "cli/terminal/terminal.h"
#include "grading/grade.h"
#include "practice/drill/reading.h"
#include "practice/exercise/reset.h"
#include "practice/interview/general_topics.h"
#include "practice/record.h"
#include "report/layout.h"
#include "report/text/text.h"
#include "support/files.h"
#include "support/nearest.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/text.h"

namespace kata::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto save_every = 5s;  // what a kill -9 can lose of the clock

std::string lower(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(letter));
  return text;
}

void tell(const std::string& text) {
  fmt::print("{}", layout::paragraph(text, 0));
}

}  // namespace

Interviewer::Interviewer(const Problem& problem, ExerciseText text, const Listener& listener,
                         InterviewRecord& record, History* history, LineReader& reader,
                         Backend backend, bool with_emulator, const Session& session)
    : problem_(problem),
      text_(std::move(text)),
      listener_(listener),
      record_(record),
      history_(history),
      reader_(reader),
      backend_(backend),
      with_emulator_(with_emulator),
      session_(session),
      kept_(history != nullptr),
      saved_at_(record.state().clock.worked()),
      time_is_up_(record.state().left() < 0ms) {}

void Interviewer::state_task() const {
  const bool color = color_wanted(session_.plain);
  const std::string place = shown(exercise(problem_.name));
  fmt::print("\n{}\n\n{}\n{}\n",
             layout::paint(fmt::format("{}, {} minute{}{}", problem_.name, state().limit / 1min,
                                       state().limit == 1min ? "" : "s",
                                       state().whiteboard ? ", on the whiteboard" : ""),
                           layout::Color::bold, color),
             layout::paragraph(opening_of(problem_), 2), drill::signature_text(problem_));
  tell(state().whiteboard
           ? fmt::format("Write kernel, block size, grid size and the call in {}. Nothing compiles "
                         "until you submit.",
                         place)
           : fmt::format("Write in {} with your own editor.", place));
  if (!state().drills.empty())
    tell(fmt::format("{} follow{}; submitting adds {} to the clock.",
                     state().drills.size() == 1 ? "A drill" : "Drills",
                     state().drills.size() == 1 ? "s" : "", rough_text(time_for(state().drills))));
  if (!state().asked.empty())
    tell(fmt::format("You asked about: {}. Type a topic to read its answer again.",
                     joined(state().asked, ", ")));
  tell(fmt::format(
      "What {} you ask before you begin? Type it in your own words{}. `help` lists all commands.",
      state().asked.empty() ? "would" : "else would",
      state().asked_unprompted ? "" : ": good questions earn points"));
}

std::vector<Interviewer::Spoken> Interviewer::commands() {
  const auto plainly = [this](void (Interviewer::*action)()) {
    return [this, action] { (this->*action)(); };
  };
  return {
      {"ask", "list the topics of questions; from then on none earns points",
       [this] { list_topics(); }},
      {"check", "compile and judge your file; costs nothing", plainly(&Interviewer::check)},
      {"hint", fmt::format("show the next hint; costs {} points", points_per_hint),
       plainly(&Interviewer::hint)},
      {"submit", "hand in your file: points and grade, then the follow-up questions",
       plainly(&Interviewer::submit)},
      {"time", "how long you have worked", plainly(&Interviewer::tell_time)},
      {"task", "the whole task in writing; from then on no question earns points",
       [this] { show_whole_task(); }},
      {"give up", "end the interview without an answer", plainly(&Interviewer::give_up)},
      {"quit", "leave; `kata interview --resume` continues", [this] { left_ = true; }},
      {"help", "show this list", plainly(&Interviewer::help)},
  };
}

int Interviewer::run() {
  save();
  if (state().phase == Interview::Phase::working) work();
  if (state().phase == Interview::Phase::drills && !left_) hold_drills();
  if (state().phase == Interview::Phase::questions && !left_) follow_up();
  return state().phase == Interview::Phase::over ? exit_status(state().verdict) : leave();
}

void Interviewer::work() {
  while (!left_ && state().phase == Interview::Phase::working) {
    const auto line = reader_.read([this] { return prompt(); });
    if (!line) {
      left_ = true;
    } else {
      obey(std::string(trimmed(*line)));
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
  tell_once_that_time_is_up();
  const Milliseconds left = std::chrono::ceil<std::chrono::seconds>(state().left());
  return left < 0ms ? fmt::format("[over time by {}] > ", clock_text(-left))
                    : fmt::format("[{} left] > ", clock_text(left));
}

/// Over the prompt's line, with a bell; the interview goes on.
void Interviewer::tell_once_that_time_is_up() {
  if (time_is_up_ || state().left() >= 0ms) return;
  time_is_up_ = true;
  fmt::print("{}\aTime is up. `submit` what you have: the best grade is now `hard`.\n",
             screen_wanted(session_.plain) ? "\r\033[K" : "\n");
}

void Interviewer::obey(const std::string& line) {
  if (line.empty()) return;
  const std::string said = lower(line);
  std::vector<std::string> words;
  for (const Spoken& command : commands()) {
    if (said == command.word) return command.action();
    words.push_back(command.word);
  }
  if (said.starts_with("ask ")) return ask(std::string(trimmed(said.substr(3))));
  const std::vector<std::string> known = topics();
  const bool is_topic = std::find(known.begin(), known.end(), said) != known.end();
  if (is_topic || line.ends_with('?') || line.find(' ') != std::string::npos) return ask(said);
  const std::string meant = nearest(said, words);
  tell(fmt::format("There is no command \"{}\".{} `help` lists them.", line,
                   meant.empty() ? "" : fmt::format(" Did you mean {}?", meant)));
}

void Interviewer::help() {
  for (const Spoken& command : commands()) {
    if (state().whiteboard && command.word == "check") continue;  // it is told why not
    fmt::print("  {:<9}{}\n", command.word, command.help);
  }
}

std::vector<std::string> Interviewer::topics() const {
  std::vector<std::string> topics;
  for (const Question& one : text_.clarify) topics.push_back(one.topic);
  return topics;
}

/// What is shown need not be asked.
void Interviewer::end_of_points() {
  if (!state().asked_unprompted) state().asked_unprompted = state().asked.size();
}

void Interviewer::show_whole_task() {
  end_of_points();
  fmt::print("\n{}\n", prose(text_.task, 2));
}

void Interviewer::list_topics() {
  end_of_points();
  tell(fmt::format("You can ask about: {}. For example: `ask {}`", joined(topics(), ", "),
                   text_.clarify.front().topic));
}

/// A topic by its name, else by what the words are about.
std::vector<std::size_t> Interviewer::meant_by(const std::string& question) const {
  for (std::size_t i = 0; i < text_.clarify.size(); ++i) {
    if (text_.clarify[i].topic == question) return {i};
  }
  return listener_.hear(question);
}

void Interviewer::ask(const std::string& question) {
  const std::vector<std::size_t> meant = meant_by(question);
  const std::string also = listener_.quote(question, meant);
  if (meant.empty()) {
    if (!also.empty()) return quote("The exercise says:", also);
    if (const std::string near = listener_.perhaps(question); !near.empty()) {
      quote("I am not sure what you mean. The exercise says:", near);
      return tell("If that is not it, ask in other words.");
    }
    return tell(
        "I did not understand that. If it is about the task, try other words; `help` lists what "
        "else you can type.");
  }
  if (meant.size() > 1) {
    return tell(fmt::format("Do you mean {} or {}? Type that word, or ask in other words.",
                            text_.clarify[meant[0]].topic, text_.clarify[meant[1]].topic));
  }
  const std::string& topic = text_.clarify[meant.front()].topic;
  if (topic == clock_topic) return tell_time();
  auto& asked = state().asked;
  if (std::find(asked.begin(), asked.end(), topic) == asked.end()) asked.push_back(topic);
  answer(topic);
  if (!also.empty()) quote("The exercise also says:", also);
}

void Interviewer::quote(const std::string& title, const std::string& sentence) const {
  fmt::print("{}{}", layout::paragraph(title, 2), prose(sentence, 4));
}

void Interviewer::answer(const std::string& topic) const {
  const auto found = std::ranges::find(text_.clarify, topic, &Question::topic);
  if (found == text_.clarify.end()) return;  // of an older text
  fmt::print("{}{}", layout::paragraph(found->topic + ": " + found->question, 2),
             prose(found->answer, 4));
}

void Interviewer::tell_time() {
  fmt::print("Worked {} of {}", clock_text(state().clock.worked()), clock_text(state().limit));
  if (state().clock.away() >= 1s) {
    fmt::print("; you were away for {}, which is not counted", rough_text(state().clock.away()));
  }
  const Milliseconds left = std::chrono::ceil<std::chrono::seconds>(state().left());
  fmt::print("{}\n", left < 0ms ? fmt::format(": {} over time.", clock_text(-left))
                                : fmt::format(": {} left.", clock_text(left)));
}

void Interviewer::hint() {
  const auto next = static_cast<std::size_t>(state().hints) + 1;
  if (next > text_.hints.size()) {
    return tell("There are no more hints. Write what you have, then `submit`.");
  }
  state().hints = static_cast<int>(next);
  if (history_) {
    history_->add(Event{.operator_name = problem_.name,
                        .kind = Event::Kind::hint,
                        .detail = std::to_string(next),
                        .session = record_.uid()});
  }
  fmt::print("{}", hint_text(text_.hints.at(next - 1), next, text_.hints.size()));
  tell(fmt::format("It costs {} points. Next: write and `{}`{}.", points_per_hint,
                   state().whiteboard ? "submit" : "check",
                   next < text_.hints.size() ? ", or `hint` for more" : "; that was the last"));
}

/// The person's file; nothing, and why, where there is none to judge.
std::optional<Candidate> Interviewer::read() {
  Result<Candidate> candidate = read_candidate(exercise(problem_.name), {.problem = &problem_});
  if (candidate) return std::move(*candidate);
  tell(candidate.error().message);
  return {};
}

Report Interviewer::judge(const Candidate& candidate, bool with_ladder) const {
  Progress progress(session_.plain);
  return grade({.candidate = candidate,
                .backend = backend_,
                .with_emulator = with_emulator_,
                .seed = std::random_device{}() % 1'000'000,
                .with_ladder = with_ladder,
                .progress = [&progress](const std::string& what) { progress.say(what); }});
}

void Interviewer::check() {
  if (state().whiteboard) {
    return tell("On a whiteboard nothing compiles. `submit` when your answer is ready.");
  }
  const std::optional<Candidate> candidate = read();
  if (!candidate) return;
  const Report report = judge(*candidate, false);
  reader_.drop_typed();
  if (interrupted()) return;
  const TextOptions how{.color = color_wanted(session_.plain), .rows = screen_rows(session_.plain)};
  fmt::print("\n{}{}", result_text(report, how), verdict_text(report, how));
  if (report.verdict != Verdict::not_attempted) record_attempt(report, candidate->text, 0, {});
  const char* const next = report.verdict == Verdict::pass ? "`submit`, or make it faster first"
                           : report.verdict == Verdict::not_attempted
                               ? "write the kernel, save, and `check` again"
                               : "fix it and `check` again; `hint` costs points";
  fmt::print("Next: {}\n", next);
}

void Interviewer::give_up() {
  state().verdict = Verdict::fail;
  Report report;
  report.operator_name = problem_.name;
  report.verdict = Verdict::fail;
  record_attempt(report, read_file(exercise(problem_.name)).value_or(""), 0, Grade::again);
  if (state().whiteboard) clear_whiteboard();
  if (!differs_from_stub(problem_.name))
    static_cast<void>(reset_exercise(problem_.name, History::open()));
  close();
  fmt::print("\nThe interview is over.\n{}", grade_line(Grade::again));
  say_what_is_next();
}

/// The exercise becomes what it was, if what was written is in the history.
void Interviewer::clear_whiteboard() {
  if (!kept_) return;
  std::optional<std::string> before = read_file(stub(problem_.name));
  if (state().kept) {
    const auto attempt = history_->attempt(state().kept);
    before = attempt && *attempt ? (*attempt)->text : std::nullopt;
  }
  if (!before || !write_file(exercise(problem_.name), *before).empty()) return;
  state().kept = 0;
  fmt::print("{}", layout::paragraph(
                       fmt::format("{} is as it was before. What you wrote is kept: {} history {}",
                                   shown(exercise(problem_.name)), command_name(), problem_.name),
                       0));
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
    fmt::print("To continue:\n  {} interview --resume\n", command_name());
  } else {
    fmt::print("It was not kept. To begin another:\n  {} interview {}\n", command_name(),
               problem_.name);
  }
  return exit_status(state().verdict);
}

}  // namespace kata::cli
