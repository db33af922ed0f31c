// kata reset: the stub as it was, after asking; the person's text is kept.
#include "practice/exercise/reset.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/open_history.h"
#include "cli/terminal/terminal.h"
#include "support/paths.h"
#include "support/process.h"

namespace kata::cli {
namespace {

int reset(const std::string& name, const Session& session) {
  if (const auto problem = find_operator(name); !problem) return fail(problem.error());
  const std::string file = shown(exercise(name));
  if (!differs_from_stub(name)) {
    // The stub of an interview has another comment.
    if (const auto kept = reset_exercise(name, open_history()); !kept) return fail(kept.error());
    fmt::print("{} is as it was: there is nothing to reset.\n", file);
    return 0;
  }
  const std::string question =
      fmt::format("Replace {} with the stub? Your text is kept in the history.", file);
  if (!session.yes && !asked_and_agreed(question)) {
    if (interrupted()) return exit_error;
    if (isatty(STDIN_FILENO)) return fail({"nothing was changed"});
    return fail({fmt::format("nothing was changed. To reset without a question: {} reset {} --yes",
                             command_name(), name)});
  }
  const auto kept = reset_exercise(name, open_history());
  if (!kept) return fail(kept.error());
  fmt::print("{} is the stub again.\n", file);
  if (*kept) {
    fmt::print("To have your text back: {} history {} --text > {}\n", command_name(), **kept, file);
  }
  return 0;
}

}  // namespace

void add_reset(CLI::App& app, Session& session) {
  static std::string name;
  Command(app, "reset", "Restore the stub, after asking; your text is kept")
      .operand("operator", name, "The exercise to restore")
      .does([&session] { session.status = reset(name, session); });
}

}  // namespace kata::cli
