// kata review: what is due again and why now; begins it.
#include "practice/review.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/learn/plan.h"
#include "cli/learn/watch.h"
#include "cli/open_history.h"
#include "cli/terminal/terminal.h"
#include "practice/drill/choose.h"
#include "practice/drill/reading.h"
#include "practice/exercise/reset.h"
#include "report/layout.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

/// What was solved before is solved again from the stub, if the person agrees.
int begin_anew(const Problem& problem, const Session& session) {
  const std::string file = shown(exercise(problem.name));
  const std::string question =
      fmt::format("Begin from the stub? The text in {} is kept in the history.", file);
  if (!session.yes && !asked_and_agreed(question)) {
    fmt::print("From the stub (your text is kept in the history):\n  {} reset {}\n", command_name(),
               problem.name);
    return 0;
  }
  const auto kept = reset_exercise(problem.name, History::open());
  if (!kept) return fail(kept.error());
  fmt::print("{} is the stub again.\n", file);
  if (*kept) {
    fmt::print("To have your text back:\n  {} history {} --text > {}\n", command_name(), **kept,
               file);
  }
  return 0;
}

/// Empty if no class of drills is due.
std::string due_drills(const History& history) {
  const auto results = history.drill_results();
  std::vector<std::string> due;
  for (const drill::Strength& one :
       results ? drill::strengths(*results) : std::vector<drill::Strength>()) {
    if (one.standing.is_due(day_of(now())))
      due.push_back(one.kind + " " + drill::words_of_topic(one.kind, one.topic));
  }
  if (due.empty()) return {};
  return layout::paragraph(fmt::format("Drills are due, too ({}):", fmt::join(due, ", ")), 0) +
         fmt::format("  {} drill\n", command_name());
}

nlohmann::json json_of(const NextExercise& next) {
  const std::string& name = next.problem->name;
  return {{"schema", 1},
          {"operator", name},
          {"due", next.why == NextExercise::Why::due},
          {"state", to_string(next.state)},
          {"reason", next.reason},
          {"file", shown(exercise(name))},
          {"command", fmt::format("{} watch {}", command_name(), name)}};
}

int review(const Session& session, bool json) {
  const Result<History> history = open_history();
  if (!history) return fail(history.error(), json);
  const Result<NextStep> step = next_step(session.config, history);
  if (!step) return fail(step.error(), json);
  if (json) {
    print_json(json_of(step->exercise));
    return 0;
  }
  if (const PlanItem* planned = step->planned(); planned && !planned->problem)
    fmt::print("Your plan begins with this:\n  {}\nThe exercise after it:\n\n",
               command_of(*planned));
  const NextExercise& next = step->exercise;
  const Problem& problem = *next.problem;
  fmt::print("{}", layout::paragraph(fmt::format("{}: {}.", problem.name, next.reason), 0));
  fmt::print("\n{}{}\n", layout::paragraph(problem.summary, 2), drill::signature_text(problem));
  std::fflush(stdout);  // before a question on standard error
  if (next.state == State::passes) {
    if (const int status = begin_anew(problem, session); status != 0) return status;
  }
  fmt::print("Against the clock, with questions:\n  {} interview {}\n{}", command_name(),
             problem.name, due_drills(*history));
  const std::string file = shown(exercise(problem.name));
  std::fflush(stdout);
  const bool at_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  if (at_terminal && (session.yes || asked_and_agreed(fmt::format(
                                         "Start now, judged at every save of {}?", file))))
    return watch(problem, session);
  fmt::print("Write it in {}, judged at every save:\n  {} watch {}\n", file, command_name(),
             problem.name);
  return 0;
}

}  // namespace

void add_review(CLI::App& app, Session& session) {
  static bool json = false;
  Command(app, "review", "Start the exercise that is due, and say why")
      .flag("--json", json, "One JSON object on standard output; starts nothing")
      .does([&session] { session.status = review(session, json); });
}

}  // namespace kata::cli
