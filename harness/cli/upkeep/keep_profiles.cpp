// kata keep-profiles, kata keep-assembly: for a developer who has changed a rung or the emulator.
#include <fmt/format.h>

#include <functional>

#include "assembly/kept.h"
#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/terminal/terminal.h"
#include "grading/estimates.h"
#include "grading/kept_profiles.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata::cli {
namespace {

/// What a person types: an operator and, to change its line alone, a rung.
struct KeptLadder {
  std::string name, rung;
};

using Say = std::function<void(const std::string&)>;
using Keep = std::function<std::optional<Error>(const Problem&, const std::string& only, Say)>;

using PathOf = fs::path (*)(const Problem&);

int keep(const KeptLadder& typed, const Keep& write, PathOf file, const Session& session) {
  const Result<const Problem*> problem = find_operator(typed.name);
  if (!problem) return fail(problem.error());
  std::string only;
  if (!typed.rung.empty()) {
    const Result<Rung> rung = find_rung((*problem)->name, typed.rung);
    if (!rung) return fail(rung.error());
    only = rung->name;
  }
  std::optional<Error> error;
  {
    Progress progress(session.plain);
    error = write(**problem, only, [&progress](const std::string& what) { progress.say(what); });
  }
  if (error) return fail(*error);
  fmt::print("{} kept in {}\n", only.empty() ? "Every rung is" : only + " is",
             shown(file(**problem)));
  return 0;
}

std::optional<Error> keep_all_profiles(const Problem& problem, const std::string& only, Say say) {
  GradeRequest request;
  request.progress = std::move(say);
  return keep_profiles(problem, only, request);
}

}  // namespace

void add_keep_profiles(CLI::App& app, Session& session) {
  static KeptLadder typed;
  Command(app, "keep-profiles", "Write solutions/<operator>/profiles.jsonl, for estimates of time")
      .operand("operator", typed.name, "Its ladder, at every size that is benched: takes minutes")
      .optional_operand("rung", typed.rung, "That rung alone; the others' profiles stay")
      .hidden()
      .does([&session] { session.status = keep(typed, keep_all_profiles, kept_path, session); });
}

void add_keep_assembly(CLI::App& app, Session& session) {
  static KeptLadder typed;
  Command(app, "keep-assembly", "Write solutions/<operator>/assembly.jsonl, for kata asm")
      .operand("operator", typed.name, "Its ladder, compiled by nvcc")
      .optional_operand("rung", typed.rung, "That rung alone; the others' lines stay")
      .hidden()
      .does([&session] {
        session.status = keep(typed, assembly::keep_assembly, assembly::summaries_path, session);
      });
}

}  // namespace kata::cli
