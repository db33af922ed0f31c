// kata profile: a candidate's launches as Nsight Compute measures them, beside the prediction.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/backend.h"
#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/terminal/terminal.h"
#include "grading/candidate.h"
#include "grading/hardware.h"
#include "remote/grade_elsewhere.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

struct ProfileOptions {
  CandidateOptions candidate;
  std::string on;
  bool json = false;
};

nlohmann::json json_of(const HardwareProfile& profile) {
  nlohmann::json measured = nlohmann::json::array(), predicted = nlohmann::json::array();
  for (const MeasuredLaunch& one : profile.launches)
    measured.push_back({{"kernel", one.kernel},
                        {"grid", one.grid},
                        {"block", one.block},
                        {"metrics", one.metrics}});
  for (const PredictedLaunch& one : profile.predicted)
    predicted.push_back({{"kernel", one.counts.name},
                         {"us", one.us},
                         {"read_bytes", one.read_bytes},
                         {"written_bytes", one.written_bytes},
                         {"occupancy", one.occupancy}});
  return {{"schema", 1},
          {"operator", profile.operator_name},
          {"candidate", profile.candidate},
          {"size", profile.size},
          {"device", profile.device},
          {"measured", measured},
          {"predicted", predicted},
          {"not_predicted", profile.not_predicted}};
}

/// The counters as text, from this machine or the one that --on names.
Result<std::string> measured_text(const GradeRequest& request, const std::string& on,
                                  const Session& session) {
  const bool color = color_wanted(session.plain);
  if (!on.empty()) {
    const Result<Place> place = find_place(session.config, on);
    if (!place) return place.error();
    return profile_elsewhere(*place, request, color);
  }
  const Result<HardwareProfile> measured = profile_on_gpu(request);
  if (!measured) return measured.error();
  return hardware_text(*measured, color);
}

int profile_as_json(const GradeRequest& request) {
  const Result<HardwareProfile> measured = profile_on_gpu(request);
  if (!measured) return fail(measured.error(), true);
  print_json(json_of(*measured));
  return 0;
}

int profile(const ProfileOptions& options, const Session& session) {
  std::string what = options.candidate.what;  // as it was typed
  if (const auto& rung = options.candidate.solution)
    what += " --solution" + (rung->empty() ? "" : " " + *rung);
  Result<Candidate> candidate = find_candidate(options.candidate);
  if (!candidate) return fail(candidate.error(), options.json);
  const Result<Backend> gpu = choose_backend("gpu", options.on);
  if (const Problem* stub_of = untouched_stub_of(*candidate))
    return gpu ? not_written(*stub_of, "profile", "profile", "", options.json)
               : not_written(*stub_of, "profile", "check", " --lines", options.json);
  if (!gpu) {
    return fail(
        {fmt::format("profile needs a GPU ({0} doctor says what is missing). What the emulator "
                     "counts in each line: {0} check {1} --lines",
                     command_name(), what)},
        options.json);
  }
  GradeRequest request{.candidate = std::move(*candidate), .backend = Backend::gpu};
  if (options.json) return profile_as_json(request);
  Result<std::string> measured = Error{};
  {
    Progress progress(session.plain);
    request.progress = [&progress](const std::string& said) { progress.say(said); };
    measured = measured_text(request, options.on, session);
  }
  if (!measured) return fail(measured.error());
  fmt::print("{}Next: which line it is\n  {} check {} --lines\n", *measured, command_name(), what);
  return 0;
}

}  // namespace

void add_profile(CLI::App& app, Session& session) {
  static ProfileOptions options;
  Command(app, "profile", "Compare a GPU's counters (ncu) with the emulator's")
      .operand("operator-or-file", options.candidate.what, "An operator, or any .cu file")
      .option_with_default("--solution", "RUNG", options.candidate.solution,
                           "Profile a rung instead; without RUNG the fastest")
      .option("--size", "SIZE", options.candidate.size, "Use this shape, e.g. 256x1024")
      .option("--entry", "NAME", options.candidate.entry,
              "The function to call, if not the operator's name")
      .option("--operator", "NAME", options.candidate.operator_name,
              "The operator that the file computes")
      .option("--on", "NAME", options.on, "Run it on another machine: see kata remote")
      .flag("--json", options.json, "One JSON object on standard output")
      .exclusive("--json", "--on")
      .does([&session] { session.status = profile(options, session); });
}

}  // namespace kata::cli
