// kata review: what is due again and why now; begins it.
#include "practice/review.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/learn/plan.h"
#include "cli/open_history.h"
#include "cli/terminal/terminal.h"
#include "practice/drill/choose.h"
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

int review(const Session& session) {
  const Result<History> history = open_history();
  if (!history) return fail(history.error());
  const Result<NextStep> step = next_step(session.config, history);
  if (!step) return fail(step.error());
  if (const PlanItem* planned = step->planned(); planned && !planned->problem)
    fmt::print("Your plan begins with this:\n  {}\nThe exercise after it:\n\n",
               command_of(*planned));
  const NextExercise& next = step->exercise;
  const Problem& problem = *next.problem;
  fmt::print("{}", layout::paragraph(fmt::format("{}: {}.", problem.name, next.reason), 0));
  fmt::print("\n  {}\n  {}\n\n", problem.summary, declaration(problem));
  std::fflush(stdout);  // before a question on standard error
  if (next.state == State::passes) {
    if (const int status = begin_anew(problem, session); status != 0) return status;
  }
  fmt::print("Write it in {}, judged at every save:\n  {} watch {}\n",
             shown(exercise(problem.name)), command_name(), problem.name);
  fmt::print("Or against the clock, with questions:\n  {} interview {}\n{}", command_name(),
             problem.name, due_drills(*history));
  return 0;
}

}  // namespace

void add_review(CLI::App& app, Session& session) {
  Command(app, "review", "Start the exercise that is due, and say why").does([&session] {
    session.status = review(session);
  });
}

}  // namespace kata::cli
