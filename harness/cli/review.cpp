// kata review: what is due again, why now, and what to do.
#include "practice/review.h"

#include <fmt/format.h>

#include "cli/commands.h"
#include "report/layout.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

int review() {
  const Result<History> history = History::open();
  if (!history) return fail(history.error());
  const Result<NextReview> next = next_review(*history, now());
  if (!next) return fail(next.error());
  const Problem& problem = *next->problem;
  const std::string kata = command_name();
  fmt::print("{}", layout::paragraph(fmt::format("{}: {}.", problem.name, next->reason), 0));
  fmt::print("\n  {}\n  {}\n\n", problem.summary, declaration(problem));
  if (next->standing) {
    fmt::print("From an empty stub (your text is kept in the history):\n  {} reset {}\n", kata,
               problem.name);
  }
  fmt::print("Against the clock, with questions:\n  {} interview {}\n", kata, problem.name);
  fmt::print("Write it in {}, then:\n  {} check {}\n", shown(exercise(problem.name)), kata,
             problem.name);
  return 0;
}

}  // namespace

void add_review(CLI::App& app, Session& session) {
  Command(app, "review", "What is due again, and why now").does([&session] {
    session.status = review();
  });
}

}  // namespace kata::cli
