// kata interview: timed practice with a rubric, follow-up questions and a grade.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <random>

#include "cli/backend.h"
#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/interview/interviewer.h"
#include "cli/open_history.h"
#include "cli/terminal/terminal.h"
#include "practice/drill/record.h"
#include "practice/exercise/reset.h"
#include "practice/interview/general_topics.h"
#include "practice/review.h"
#include "report/layout.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/process.h"

namespace kata::cli {
namespace {

using namespace std::chrono_literals;

struct InterviewOptions {
  std::string what;
  std::string backend;
  std::optional<std::uint64_t> minutes;
  std::string rounds;
  bool whiteboard = false;
  bool resume = false;
};

/// "Yes" by --yes, by hand, or by a script's next line.
bool agreed(const std::string& question, LineReader& reader, const Session& session) {
  if (session.yes) return true;
  fmt::print("{}", layout::paragraph(question, 0));
  const auto answer = reader.read([] { return std::string("[y/N] "); });
  return answer && (*answer == "y" || *answer == "Y" || *answer == "yes");
}

/// The text to start from in the exercise's place; the id of the attempt that keeps what was there,
/// 0 if that was nothing.
Result<std::int64_t> lay_out(const Problem& problem, bool whiteboard) {
  const auto kept = reset_exercise(problem.name, History::open());
  if (!kept) return kept.error();
  const std::string text =
      whiteboard ? whiteboard_text(problem)
                 : interview_text(problem, read_file(stub(problem.name)).value_or(""));
  const std::string reason = write_file(exercise(problem.name), text);
  if (!reason.empty())
    return Error{fmt::format("cannot write {}: {}", shown(exercise(problem.name)), reason)};
  return kept->value_or(0);
}

/// The options as they were typed: " --whiteboard --minutes 20".
std::string words_of(const InterviewOptions& options, const Config& config) {
  std::string words;
  if (options.backend != config.backend) words += " --backend " + options.backend;
  if (options.minutes) words += fmt::format(" --minutes {}", *options.minutes);
  if (!options.rounds.empty()) words += " --rounds " + options.rounds;
  if (options.whiteboard) words += " --whiteboard";
  return words;
}

/// The one that was named, else what is due for review, else one by chance.
Result<const Problem*> choose(const InterviewOptions& options, const Result<History>& history) {
  if (!options.what.empty()) return find_operator(options.what);
  if (history) {
    const Result<NextReview> review = next_review(*history, now());
    if (review && review->due) return review->problem;
  }
  std::mt19937 chance{std::random_device{}()};
  return &draw_operator(chance);
}

Error already_open(const InterviewRecord& open) {
  const Interview& state = open.state();
  return {
      fmt::format("an interview about {} is open, {} of {} worked. Continue it: {} interview "
                  "--resume (there, `give up` ends it)",
                  state.operator_name, clock_text(state.clock.worked()), clock_text(state.limit),
                  command_name())};
}

/// Everything that a session needs besides its record.
struct Room {
  Result<History> history = open_history();
  Backend backend = Backend::emulator;
  bool with_emulator = false;  ///< both backends judge
  LineReader reader;
};

int talk(Room& room, InterviewRecord& record, const Session& session, bool resumed) {
  const Result<const Problem*> problem = find_operator(record.state().operator_name);
  if (!problem) return fail(problem.error());
  Result<ExerciseText> text = read_exercise_text((*problem)->name);
  if (!text) return fail(text.error());
  add_general_topics(**problem, *text);
  const Result<Listener> listener = Listener::open((*problem)->name, *text);
  if (!listener) return fail(listener.error());
  if (!resumed) record.state().clock = SessionClock::started(instant_now());  // not while it learns
  History* const history = room.history ? &*room.history : nullptr;
  Interviewer interviewer(**problem, std::move(*text), *listener, record, history, room.reader,
                          room.backend, room.with_emulator, session);
  if (resumed) {
    const SessionClock::Away away = record.state().clock.resume(instant_now());
    fmt::print("Back to {}. You were away for {}{}; that time is not counted.\n",
               record.state().operator_name, rough_text(away.time),
               away.by_calendar ? " by the calendar (the machine was restarted)" : "");
  }
  if (record.state().phase == Interview::Phase::working) interviewer.state_task();
  return interviewer.run();
}

/// The drills after the writing; none without --rounds.
Result<std::vector<drill::Kind>> drills_for(const InterviewOptions& options, Room& room) {
  if (options.rounds.empty()) return std::vector<drill::Kind>();
  const auto rounds = rounds_from(options.rounds);
  if (!rounds) return rounds;
  if (!room.history) return Error{"--rounds needs a history that can be written"};
  const auto open = drill::Record::find_open(*room.history);
  if (!open) return open.error();
  if (*open)
    return Error{
        fmt::format("a drill is open: {0}. Finish it first: {1} drill, or discard it: {1} drill "
                    "--discard",
                    words_of((**open).state().offer), command_name())};
  return rounds;
}

int begin(Room& room, const InterviewOptions& options, const Session& session) {
  const auto drills = drills_for(options, room);
  if (!drills) return fail(drills.error());
  const Result<const Problem*> problem = choose(options, room.history);
  if (!problem) return fail(problem.error());
  const std::string& name = (*problem)->name;
  const std::string question =
      fmt::format("{} is not the stub. Keep its text in the history and start from the stub?",
                  shown(exercise(name)));
  if (differs_from_stub(name) && !agreed(question, room.reader, session)) {
    return fail({fmt::format(
        "nothing was changed. Choose another operator, or start anyway: {} interview {}{} "
        "--yes",
        command_name(), name, words_of(options, session.config))});
  }
  const Result<std::int64_t> kept = lay_out(**problem, options.whiteboard);
  if (!kept) return fail(kept.error());
  const std::uint64_t minutes = options.minutes.value_or(
      session.config.interview_minutes.value_or(default_minutes(**problem)));
  InterviewRecord record({.operator_name = name,
                          .whiteboard = options.whiteboard,
                          .limit = std::chrono::minutes(minutes),
                          .clock = {},
                          .drills = *drills,
                          .kept = *kept},
                         room.history ? &*room.history : nullptr);
  return talk(room, record, session, false);
}

/// What follows the submission has no end of its own where a kill ended it: `end` ends it, and the
/// grade stays. Else the clock goes on from the drill that was left.
std::optional<Error> drill_goes_on(InterviewRecord& interview, History& history, bool end) {
  Interview& state = interview.state();
  if (state.phase == Interview::Phase::working) return {};
  Result<std::optional<drill::Record>> drill = std::optional<drill::Record>();
  if (!state.drills.empty()) drill = drill::Record::find_open(history);
  if (!drill) return drill.error();
  if (*drill) state.clock = (**drill).state().clock;
  if (!end) return {};
  if (*drill) {
    if (const auto error = (**drill).abandon()) return error;
  }
  state.phase = Interview::Phase::over;
  return interview.save();
}

int interview(const InterviewOptions& options, const Session& session) {
  const Result<Backend> backend = choose_backend(options.backend);
  if (!backend) return fail(backend.error());
  Room room{.backend = *backend,
            .with_emulator = wants_both(options.backend, {}),
            .reader = LineReader(screen_wanted(session.plain))};
  const SessionLock lock("interview");
  if (!lock.ours()) {
    return fail({fmt::format("{} holds an interview: end or leave that one first", lock.holder())});
  }
  std::optional<InterviewRecord> open;
  if (!room.history) {
    warn("this interview is not kept and cannot be resumed: " + room.history.error().message);
  } else {
    Result<std::optional<InterviewRecord>> found = InterviewRecord::find_open(*room.history);
    if (!found) return fail(found.error());
    open = std::move(*found);
  }
  if (open) {
    if (const auto error = drill_goes_on(*open, *room.history, !options.resume))
      return fail(*error);
    if (open->state().phase == Interview::Phase::over) open.reset();
  }
  if (options.resume && !open) {
    return fail({fmt::format("no interview is open. Begin one: {} interview", command_name())});
  }
  if (open && !options.resume) return fail(already_open(*open));
  return open ? talk(room, *open, session, true) : begin(room, options, session);
}

}  // namespace

void add_interview(CLI::App& app, Session& session) {
  static InterviewOptions options;
  options.backend = session.config.backend;
  Command(app, "interview", "Timed practice with questions, points and a grade")
      .optional_operand("operator", options.what, "Operator; else one that is due, or a random one")
      .choice("--backend", {"auto", "gpu", "emulator"}, options.backend,
              "Where it runs; auto: both, if there is a GPU")
      .number("--minutes", options.minutes, "Time limit; else 15, 25 or 40 by difficulty",
              {.least = 1, .most = minutes_a_day})
      .option("--rounds", "LIST", options.rounds,
              "Drills after the writing, such as write,viva,why")
      .flag("--whiteboard", options.whiteboard, "Nothing compiles until you submit")
      .flag("--resume", options.resume, "Continue the interview that you left")
      .exclusive("--resume", "--whiteboard")
      .exclusive("--resume", "--minutes")
      .exclusive("--resume", "--rounds")
      .does([&session] {
        session.status = interview(options, session);
        session.says_how_it_ended = session.status != exit_error;  // it was left
      });
}

}  // namespace kata::cli
