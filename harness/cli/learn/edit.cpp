// kata edit: opens an exercise in the person's editor.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/terminal/editor.h"
#include "cli/terminal/keyboard.h"
#include "report/layout.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

constexpr int not_found_by_shell = 127;  ///< of a shell

/// Whoever has chosen no editor may not know how to leave vi. False: they open nothing.
bool explained_vi() {
  fmt::print("{}", layout::paragraph(
                       fmt::format("No editor is chosen, so this opens vi. There, i starts to "
                                   "insert text and Esc ends it; :wq and Enter saves and leaves, "
                                   ":q! and Enter leaves. To choose another editor: {} config "
                                   "editor nano",
                                   command_name()),
                       0));
  if (!isatty(STDIN_FILENO)) return true;
  return LineReader(false).read([] { return std::string("Enter opens it > "); }).has_value();
}

int edit(const std::string& name, const Session& session) {
  const Result<const Problem*> problem = find_operator(name);
  if (!problem) return fail(problem.error());
  const std::filesystem::path file = exercise(name);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return fail(no_exercise(name));
  }
  const Editor editor = chosen_editor(session.config);
  const bool is_fallback = session.config.editor.empty() && editor.from.empty();
  if (is_fallback && !explained_vi()) return exit_error;
  std::fflush(stdout);
  const int status =
      std::system(fmt::format("{} {}", editor.command, shell_word(shown(file))).c_str());
  if (status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == not_found_by_shell)) {
    return fail({fmt::format("cannot start the editor {}. Choose another: {} config editor vim",
                             editor.command, command_name())});
  }
  fmt::print("Next: check it\n  {} check {}\n", command_name(), name);
  return 0;
}

}  // namespace

void add_edit(CLI::App& app, Session& session) {
  static std::string name;
  Command(app, "edit", "Open an exercise in your editor")
      .operand("operator", name, "Which exercise")
      .does([&session] { session.status = edit(name, session); });
}

}  // namespace kata::cli
