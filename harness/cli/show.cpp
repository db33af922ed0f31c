// kata show: the annotated ladder, as a table of contents or one rung's text.
#include <fmt/format.h>

#include <optional>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/hint.h"
#include "cli/terminal.h"
#include "report/layout.h"
#include "support/files.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

std::string table_of_contents(const Problem& problem, const std::vector<Rung>& rungs) {
  std::size_t width = 0;
  for (const Rung& rung : rungs) width = std::max(width, rung.name.size());
  std::string text =
      fmt::format("{}: {}\n{}\n\n", problem.name, problem.summary, declaration(problem));
  for (const Rung& rung : rungs) {
    const std::string name = "  " + rung.name;
    const std::string idea = layout::paragraph(rung.idea, width + 4);
    text += name + (idea.empty() ? "\n" : idea.substr(name.size()));
  }
  text += fmt::format("\nOne of them: {} show {} {}\n", command_name(), problem.name,
                      rungs.front().number);
  return text;
}

int show(const std::string& name, const std::string& which, const Session& session) {
  const Result<const Problem*> problem = find_operator(name);
  if (!problem) return fail(problem.error());
  const Result<Rung> rung = find_rung(name, which);  // an Error too where there are no rungs
  if (!rung) return fail(rung.error());
  if (which.empty()) {
    print_paged(table_of_contents(**problem, ladder(name)), session.plain);
    return 0;
  }
  const std::optional<std::string> text = read_file(rung->path);
  if (!text) return fail({fmt::format("cannot read {}", shown(rung->path))});
  remember_solution_seen(name, rung->name);
  print_paged(*text, session.plain);
  return 0;
}

}  // namespace

void add_show(CLI::App& app, Session& session) {
  static std::string name, rung;
  Command(app, "show", "Browse an operator's annotated ladder")
      .operand("operator", name, "Whose ladder")
      .optional_operand("rung", rung, "Its number or name; else the table of contents")
      .does([&session] { session.status = show(name, rung, session); });
}

}  // namespace kata::cli
