// kata watch: judges an exercise at every save, and answers to single keys.
#include "cli/learn/watch.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <optional>
#include <utility>

#include "cli/backend.h"
#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/first/hint.h"
#include "cli/first/list.h"
#include "cli/learn/plan.h"
#include "cli/terminal/keyboard.h"
#include "cli/terminal/terminal.h"
#include "practice/exercise/file_watch.h"
#include "practice/exercise/reset.h"
#include "report/json.h"
#include "report/layout.h"
#include "report/text/text.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/process.h"

namespace kata::cli {
namespace {

constexpr const char* clear_screen = "\033[H\033[2J";
constexpr const char* keys_line =
    "n next   h hint   l list   s solution   t timing   r reset   q quit";
constexpr std::string_view known_keys = "hlstr";  // besides n and q
constexpr std::size_t most_output = std::size_t{1} << 26;
constexpr std::size_t rows_of_keys = 2;  // and the line above them
constexpr int look_again_ms = 100;       // for an exercise's folder that is gone

struct WatchOptions {
  std::string what;
  std::string backend;
};

class Watch {
 public:
  Watch(const Problem& problem, FileWatch file, const WatchOptions& options, const Session& session,
        std::string note)
      : problem_(&problem),
        file_(std::move(file)),
        options_(options),
        session_(session),
        note_(std::move(note)) {}

  int run();

  /// The one that is watched now.
  const Problem& problem() const { return *problem_; }

 private:
  void check();
  void show_verdict(const std::string& saved_at);
  void show_absent();
  void say(const std::string& text);
  void answer(const std::string& text);
  bool news();
  bool news_during_check();
  void wait();
  std::vector<int> sources() const;

  void press(char key);
  const Problem* exercise_after();
  void next();
  void hint();
  void solution();
  void timing();
  void reset();
  bool agreed(const std::string& question);

  std::filesystem::path path() const { return exercise(problem_->name); }
  TextOptions text_options() const {
    const std::size_t rows = screen_rows(session_.plain);
    return {.color = color_wanted(session_.plain), .rows = rows > 0 ? rows - rows_of_keys : 0};
  }
  void start_screen() const;
  std::string what_next();
  std::string keys() const {
    return layout::paint(keys_line, layout::Color::dim, text_options().color);
  }
  Result<Finished> start_check(const std::vector<std::string>& more);

  const Problem* problem_;
  FileWatch file_;
  const WatchOptions& options_;
  const Session& session_;
  Keyboard keyboard_{true};
  std::string keys_;                  ///< pressed and not yet answered
  std::optional<Progress> progress_;  ///< of a check under way
  Report report_;                     ///< of the last save
  std::vector<std::string> left_;     ///< exercises that n has left
  std::string note_;                  ///< shown below the next verdict, once
  bool due_ = true;                   ///< saved since the last check
  bool done_ = false;
};

/// A terminal starts on an empty screen; elsewhere a line parts one check from the next.
void Watch::start_screen() const {
  fmt::print("{}", screen_wanted(session_.plain) ? clear_screen : "----\n");
}

void Watch::say(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

/// To a key, followed by the keys that can be pressed next.
void Watch::answer(const std::string& text) {
  say(fmt::format("\n{}\n{}\n", text, keys()));
}

std::vector<int> Watch::sources() const {
  std::vector<int> descriptors{file_.descriptor()};
  if (!keyboard_.closed()) descriptors.push_back(STDIN_FILENO);
  return descriptors;
}

/// Takes in what has happened; true if a check that is under way is of no use any more.
bool Watch::news() {
  keys_ += keyboard_.read_available();
  due_ |= file_.changed();
  // A terminal that is gone cannot be answered; a script that has ended need not be.
  done_ |= keyboard_.closed() && isatty(STDOUT_FILENO) && isatty(STDIN_FILENO);
  return due_ || done_;
}

/// The same for keys that a person presses meanwhile: q and n act at once, and what waited is
/// dropped; the others wait for the verdict, like all of a script.
bool Watch::news_during_check() {
  const std::size_t before = keys_.size();
  const bool useless = news();
  if (!isatty(STDIN_FILENO)) return useless;
  for (std::size_t i = before; i < keys_.size(); ++i) {
    if (keys_[i] == 'q' || keys_[i] == 'n') {
      keys_ = keys_[i];
      return true;
    }
    if (known_keys.find(keys_[i]) != std::string_view::npos)
      progress_->print(fmt::format("{}: after this check\n", keys_[i]));
  }
  return useless;
}

void Watch::wait() {
  wait_for_input(sources(), file_.lost() ? look_again_ms : -1);
  news();
}

/// In a process of its own, so that it can be ended.
Result<Finished> Watch::start_check(const std::vector<std::string>& more) {
  std::error_code failed;
  std::vector<std::string> arguments{std::filesystem::read_symlink("/proc/self/exe", failed),
                                     "check",
                                     problem_->name,
                                     "--backend",
                                     options_.backend,
                                     "--from-watch"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::string errors;
  progress_.emplace(session_.plain);
  progress_->say("checking");
  const auto hear = [&](const std::string& line) {
    if (line.starts_with(progress_mark))
      progress_->say(line.substr(progress_mark.size()));
    else
      errors += line + "\n";
  };
  Result<Finished> finished = kata::run({.arguments = arguments,
                                         .output_limit = most_output,
                                         .on_error_line = hear,
                                         .wake_on = [this] { return sources(); },
                                         .on_wake = [this] { return news_during_check(); }});
  progress_.reset();
  if (finished) finished->errors = std::move(errors);
  return finished;
}

void Watch::check() {
  due_ = false;
  start_screen();
  std::error_code ignored;
  if (!std::filesystem::exists(path(), ignored)) return show_absent();
  const std::string saved_at = fmt::format("{:%H:%M:%S}", fmt::localtime(std::time(nullptr)));
  say(layout::paragraph(fmt::format("checking {} as of {} ...", shown(path()), saved_at), 0));
  const Result<Finished> finished = start_check({"--no-ladder", "--json"});
  if (due_ || done_ || interrupted()) return;  // saved again: this verdict would be of an old text
  if (finished && finished->interrupted) return;
  const auto report = finished ? report_from_json_text(finished->output) : std::optional<Report>();
  report_ = report.value_or(Report());
  if (!report) {
    report_.operator_name = problem_->name;
    report_.candidate = shown(path());
    report_.error = "the check did not finish; save again to repeat it";
    report_.detail = finished ? finished->errors : finished.error().message;
  } else if (!finished->errors.empty()) {
    note_ = layout::paragraph(finished->errors, 0);  // of the history, say
  }
  show_verdict(saved_at);
}

void Watch::show_verdict(const std::string& saved_at) {
  start_screen();
  say(fmt::format("{}{}{}{}\n{}   ({})\n", result_text(report_, text_options()),
                  verdict_text(report_, text_options()), what_next(),
                  note_.empty() ? "" : "\n" + std::exchange(note_, ""), keys(), saved_at));
}

void Watch::show_absent() {
  report_ = {};
  say(fmt::format("{}\nNext: save it, or r brings the stub back.\n\n{}\n",
                  layout::paragraph(shown(path()) + " is not there.", 0), keys()));
}

std::string Watch::what_next() {
  switch (report_.verdict) {
    case Verdict::pass: {
      const Problem* next = exercise_after();
      const std::string then =
          next ? fmt::format("n goes on to {}", next->name) : std::string("every exercise passes");
      return layout::paragraph(fmt::format("Next: t compares it with the ladder; {}.", then), 0);
    }
    case Verdict::fail:
      return layout::paragraph(
          fmt::format("Next: fix {} and save; h gives a hint.", report_.candidate), 0);
    case Verdict::error:
      return layout::paragraph(fmt::format("Next: fix {} and save.", report_.candidate), 0);
    case Verdict::not_attempted:
      return layout::paragraph(
          fmt::format("Next: write the kernel in {} and save; h gives a hint.", shown(path())), 0);
  }
  return {};
}

void Watch::press(char key) {
  switch (key) {
    case 'n':
      return next();
    case 'h':
      return hint();
    case 'l':
      return answer(list_text(text_options().color));
    case 's':
      return solution();
    case 't':
      return timing();
    case 'r':
      return reset();
    case 'q':
      done_ = true;
      return;
    default:
      if (key > ' ') say(keys() + "\n");
  }
}

/// Those that were left with n come up again when there is nothing else; null: every one passes.
const Problem* Watch::exercise_after() {
  for (;;) {
    std::vector<std::string> left_out = left_;
    left_out.push_back(problem_->name);
    const Result<NextStep> step = next_step(session_.config, History::open(), left_out);
    if (step && step->exercise.why != NextExercise::Why::ahead) return step->exercise.problem;
    if (left_.empty()) return nullptr;
    left_.clear();
  }
}

void Watch::next() {
  const Problem* problem = exercise_after();
  if (!problem) {
    return answer(fmt::format("Every exercise passes. Time for: {} interview\n", command_name()));
  }
  Result<FileWatch> file = FileWatch::of(exercise(problem->name));
  if (!file) return answer(file.error().message + "\n");
  left_.push_back(problem_->name);
  problem_ = problem;
  file_ = std::move(*file);
  due_ = true;
}

void Watch::hint() {
  const Result<ShownHint> hint = show_hint(problem_->name, "");
  if (!hint) return answer(hint.error().message + "\n");
  if (hint->needs_level) return answer(hint->text + "Next: t compares, then h has the idea.\n");
  const char* const then = hint->number == 0 ? "write"
                           : hint->last      ? "that was the last; write"
                                             : "h gives another; or write";
  answer(fmt::format("{}Next: {} and save.\n", hint->text, then));
}

void Watch::solution() {
  const Result<Rung> rung = find_rung(problem_->name, "");
  if (!rung) return answer(rung.error().message + "\n");
  if (!agreed(fmt::format("Show {}? The exercise will then not count as solved on your own.",
                          shown(rung->path)))) {
    return say(keys() + "\n");
  }
  const std::optional<std::string> text = read_file(rung->path);
  if (!text) return answer(fmt::format("cannot read {}\n", shown(rung->path)));
  say("\n");
  remember_solution_seen(problem_->name, rung->name);
  keyboard_.lend([&] { print_paged(*text, session_.plain); });
  answer(fmt::format("The other rungs: {} show {}\n", command_name(), problem_->name));
}

void Watch::timing() {
  if (report_.verdict != Verdict::pass) {
    return answer("Only what passes is timed.\n" + what_next());
  }
  say("\ncomparing with the ladder ...\n");
  const Result<Finished> finished = start_check({"--json"});
  if (!finished || due_ || done_ || finished->interrupted) return;
  const std::optional<Report> report = report_from_json_text(finished->output);
  start_screen();
  if (!report) return answer(finished->output + finished->errors);
  answer(ladder_text(*report, text_options()) + verdict_text(*report, text_options()) +
         next_step_text(*report));
}

void Watch::reset() {
  if (!differs_from_stub(problem_->name)) {
    static_cast<void>(reset_exercise(problem_->name, History::open()));
    return answer("It is the stub: nothing to reset.\n");
  }
  std::error_code ignored;
  const bool something_to_lose = std::filesystem::exists(path(), ignored);
  const std::string question =
      fmt::format("Replace {} with the stub? Your text is kept in the history.", shown(path()));
  if (something_to_lose && !agreed(question)) return say(keys() + "\n");
  const auto kept = reset_exercise(problem_->name, History::open());
  if (!kept) return answer(kept.error().message + "\n");
  if (*kept) {
    note_ = fmt::format("To restore your text:\n  {} history {} --text > {}\n", command_name(),
                        **kept, shell_word(shown(path())));
  }
  due_ = true;
}

bool Watch::agreed(const std::string& question) {
  if (isatty(STDIN_FILENO)) keys_.clear();  // pressed before the question, so no answer to it
  say("\n" + layout::prompt(question + " [y/N]"));
  while (keys_.find_first_not_of(" \n\r") == std::string::npos) {
    if (interrupted() || done_ || keyboard_.closed()) return false;
    wait();
  }
  const char answer = keys_[keys_.find_first_not_of(" \n\r")];
  keys_.erase(0, keys_.find(answer) + 1);
  const bool yes = answer == 'y' || answer == 'Y';
  say(yes ? "yes\n" : "no\n");
  return yes;
}

int Watch::run() {
  while (!done_ && !interrupted()) {
    if (due_) {
      check();
    } else if (!keys_.empty()) {
      const char key = keys_.front();
      keys_.erase(0, 1);
      press(key);
    } else {
      wait();
    }
  }
  return exit_status(report_.verdict);
}

/// Null: every one passes.
Result<const Problem*> to_watch(const Session& session, const Result<History>& history) {
  const Result<NextStep> step = next_step(session.config, history);
  if (!step) return step.error();
  const bool done = step->exercise.why == NextExercise::Why::ahead;
  return done ? nullptr : step->exercise.problem;
}

int watch(const Problem& problem, const WatchOptions& options, const Session& session,
          const std::string& note) {
  if (const auto backend = choose_backend(options.backend); !backend) return fail(backend.error());
  Result<FileWatch> file = FileWatch::of(exercise(problem.name));
  if (!file) return fail(file.error());
  Watch watching(problem, std::move(*file), options, session, note);
  const int status = watching.run();
  if (!interrupted()) {
    fmt::print("\nGo on with: {} watch {}\n", command_name(), watching.problem().name);
  }
  return status;
}

int watch(const WatchOptions& options, const Session& session) {
  const Result<History> history = History::open();
  const Result<const Problem*> problem =
      options.what.empty() ? to_watch(session, history) : find_operator(options.what);
  if (!problem) return fail(problem.error());
  if (!*problem) {
    fmt::print("Every exercise passes. Time for an interview: {} interview\n", command_name());
    return 0;
  }
  const std::string note = history && !history->notice().empty()
                               ? layout::paragraph(history->notice(), 0)
                               : std::string();
  return watch(**problem, options, session, note);
}

}  // namespace

int watch(const Problem& problem, const Session& session) {
  return watch(problem, {.what = problem.name, .backend = session.config.backend}, session, "");
}
void add_watch(CLI::App& app, Session& session) {
  static WatchOptions options;
  options.backend = session.config.backend;
  Command(app, "watch", "Check at every save; keys for hint, timing, next")
      .optional_operand("operator", options.what, "Exercise; else the next that does not pass")
      .choice("--backend", {"auto", "gpu", "emulator"}, options.backend,
              "Where it runs; auto: both, if there is a GPU")
      .does([&session] { session.status = watch(options, session); });
}

}  // namespace kata::cli
