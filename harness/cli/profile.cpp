// kata profile: a candidate's launches as Nsight Compute measures them, beside the prediction.
#include <fmt/format.h>

#include "cli/backend.h"
#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "grading/candidate.h"
#include "grading/hardware.h"
#include "support/paths.h"
#include "support/process.h"

namespace kata::cli {
namespace {

int not_attempted(const Problem& problem) {
  fmt::print(
      "{} is not begun yet: there is nothing to profile. A rung of the ladder:\n"
      "  {} profile {}\n",
      problem.name, command_name(), shown(ladder(problem.name).back().path));
  return exit_status(Verdict::not_attempted);
}

int profile(const CandidateOptions& options, const Session& session) {
  Result<Candidate> candidate = find_candidate(options);
  if (!candidate) return fail(candidate.error());
  if (const Problem* stub_of = untouched_stub_of(*candidate)) return not_attempted(*stub_of);
  GradeRequest request{.candidate = std::move(*candidate)};
  if (const Result<Backend> gpu = choose_backend("gpu"); !gpu) {
    return fail(
        {fmt::format("profile needs a GPU: {}. What the emulator counts: {} check {} --lines",
                     gpu.error().message, command_name(), options.what)});
  }
  Result<HardwareProfile> measured = Error{};
  {
    Progress progress(session.plain);
    request.progress = [&progress](const std::string& what) { progress.say(what); };
    measured = profile_on_gpu(request);
  }
  if (!measured) return fail(measured.error());
  fmt::print("{}Next: which line it is\n  {} check {} --lines\n",
             hardware_text(*measured, color_wanted(session.plain)), command_name(), options.what);
  return 0;
}

}  // namespace

void add_profile(CLI::App& app, Session& session) {
  static CandidateOptions options;
  Command(app, "profile", "Your kernel's counters on a GPU, by ncu")
      .operand("operator-or-file", options.what, "An operator, or any .cu file")
      .option("--size", "SIZE", options.size, "That shape, e.g. 256x1024")
      .option("--entry", "NAME", options.entry, "The entry function's name in the file")
      .option("--operator", "NAME", options.operator_name, "What the file computes")
      .does([&session] { session.status = profile(options, session); });
}

}  // namespace kata::cli
