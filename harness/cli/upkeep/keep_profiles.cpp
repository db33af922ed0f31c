// kata keep-profiles: for a developer who has changed a rung or the emulator.
#include <fmt/format.h>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/terminal/terminal.h"
#include "grading/estimates.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

int keep(const std::string& name, const std::string& which, const Session& session) {
  const Result<const Problem*> problem = find_operator(name);
  if (!problem) return fail(problem.error());
  std::string only;
  if (!which.empty()) {
    const Result<Rung> rung = find_rung((*problem)->name, which);
    if (!rung) return fail(rung.error());
    only = rung->name;
  }
  std::optional<Error> error;
  {
    Progress progress(session.plain);
    GradeRequest request;
    request.progress = [&progress](const std::string& what) { progress.say(what); };
    error = keep_profiles(**problem, only, request);
  }
  if (error) return fail(*error);
  fmt::print("{} kept in {}\n",
             only.empty() ? "The profiles of every rung are" : "The profiles of " + only + " are",
             shown(solutions(name) / "profiles.jsonl"));
  return 0;
}

}  // namespace

void add_keep_profiles(CLI::App& app, Session& session) {
  static std::string name, rung;
  Command(app, "keep-profiles", "Write solutions/<operator>/profiles.jsonl, for estimates of time")
      .operand("operator", name, "Its ladder, at every size that is benched: takes minutes")
      .optional_operand("rung", rung, "That rung alone; the others' profiles stay")
      .hidden()
      .does([&session] { session.status = keep(name, rung, session); });
}

}  // namespace kata::cli
