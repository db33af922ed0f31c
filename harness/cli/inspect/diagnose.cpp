// kata diagnose: what would help a kernel most.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ranges>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/terminal/terminal.h"
#include "diagnose/text.h"
#include "grading/estimates.h"
#include "grading/grade.h"
#include "report/layout.h"
#include "support/paths.h"
#include "support/process.h"

namespace kata::cli {
namespace {

struct DiagnoseOptions {
  CandidateOptions candidate;
  std::string chip;
  bool json = false;
};

/// What is said of one candidate.
struct Diagnosed {
  const Problem* problem = nullptr;
  Shape shape = {};
  Chip chip = {};
  diagnose::Diagnosis diagnosis = {};
  double behind = 0;  ///< its time over that of the ladder's fastest rung; 0: not known
};

/// Of the estimates that are kept for that size; 0 where none is.
double fastest_rung_us(const Problem& problem, const Shape& shape, const Chip& chip) {
  double fastest = 0;
  for (const Estimate& rung : kept_estimates(problem, shape, chip)) {
    const bool known = rung.extrapolated_from.empty();
    if (known && (fastest == 0 || rung.us < fastest)) fastest = rung.us;
  }
  return fastest;
}

/// `judged`: a run on the emulator that passed, whose kernels have their lines. `fastest_us`: of
/// the ladder's rungs, 0 if it is not known.
Diagnosed diagnosed_at(const Shape& shape, const Report& judged, const CallToProfile& call,
                       const Chip& chip, double fastest_us) {
  Diagnosed one{.problem = find_problem(judged.operator_name), .shape = shape, .chip = chip};
  const Result<std::vector<LaunchProfile>> launches = kernels_of_call(*one.problem, shape, call);
  if (!launches) {
    one.diagnosis.reason = launches.error().message;
    return one;
  }
  one.diagnosis = diagnose::diagnose(*launches, judged.kernels, one.problem->cost(shape), chip);
  if (fastest_us > 0) one.behind = one.diagnosis.us / fastest_us;
  return one;
}

/// At the size asked for, else where it is farthest behind the ladder.
Diagnosed diagnosed(const Report& judged, const Candidate& candidate, const Chip& chip) {
  const Problem& problem = *find_problem(judged.operator_name);
  const Shape& first = candidate.size ? *candidate.size : problem.bench_shapes.at(0);
  const Result<CallToProfile> call = call_to_profile(candidate, chip);
  if (!call) return {&problem, first, chip, {.reason = call.error().message}};
  Diagnosed worst = diagnosed_at(first, judged, *call, chip, fastest_rung_us(problem, first, chip));
  if (candidate.size) return worst;
  for (const Shape& shape : problem.bench_shapes | std::views::drop(1)) {
    const double fastest_us = fastest_rung_us(problem, shape, chip);
    if (fastest_us == 0) continue;
    Diagnosed one = diagnosed_at(shape, judged, *call, chip, fastest_us);
    if (one.behind > worst.behind) worst = std::move(one);
  }
  return worst;
}

std::string text_of(const Diagnosed& one, const Candidate& candidate, bool color) {
  constexpr double worth_saying = 1.05;
  return layout::paint(shown(candidate.path), layout::Color::bold, color) +
         fmt::format("  at {}, {}\n", to_string(one.shape), one.chip.name) +
         (one.behind > worth_saying
              ? fmt::format("takes {:.1f} times as long as the fastest rung at this size\n",
                            one.behind)
              : "") +
         "\n" + diagnose::text_of(one.diagnosis, color);
}

int diagnose_candidate(const DiagnoseOptions& options, const Session& session) {
  const Result<Candidate> candidate = find_candidate(options.candidate);
  if (!candidate) return fail(candidate.error(), options.json);
  if (const Problem* stub_of = untouched_stub_of(*candidate))
    return not_written(*stub_of, "diagnose", "diagnose", "", options.json);
  const Result<Chip> chip = find_chip(options.chip);
  if (!chip) return fail(chip.error(), options.json);
  const std::string what =
      options.candidate.solution ? shown(candidate->path) : options.candidate.what;
  Report judged;
  Diagnosed one;
  {
    Progress progress(session.plain);
    GradeRequest request{.candidate = *candidate, .with_ladder = false, .with_large = false};
    request.progress = [&progress](const std::string& said) { progress.say(said); };
    judged = grade(request);
    if (judged.verdict == Verdict::pass) {
      progress.say("estimating the time without each cause");
      one = diagnosed(judged, *candidate, *chip);
    }
  }
  if (interrupted()) return exit_error;
  if (judged.verdict == Verdict::error) return fail({judged.error, judged.detail}, options.json);
  if (judged.verdict != Verdict::pass) {
    const std::string wrong =
        fmt::format("{} is not right yet, so its speed says nothing. What is wrong: {} check {}",
                    what, command_name(), what);
    if (options.json) return fail({wrong}, true);
    warn(wrong);
    return exit_status(judged.verdict);
  }
  if (options.json) {
    nlohmann::json json = one.diagnosis;
    json.update({{"schema", 1},
                 {"operator", one.problem->name},
                 {"candidate", shown(candidate->path)},
                 {"size", to_string(one.shape)},
                 {"chip", one.chip.name}});
    if (one.behind > 0) json["behind"] = one.behind;
    print_json(json);
    return 0;
  }
  fmt::print("{}Next: the memory traffic of each line\n  {} check {} --lines\n",
             text_of(one, *candidate, color_wanted(session.plain)), command_name(), what);
  return 0;
}

}  // namespace

void add_diagnose(CLI::App& app, Session& session) {
  static DiagnoseOptions options;
  options.chip = session.config.some_chip();
  Command(app, "diagnose", "Say what would make your kernel faster")
      .operand("operator-or-file", options.candidate.what, "An operator, or any .cu file")
      .option_with_default("--solution", "RUNG", options.candidate.solution,
                           "Diagnose a rung instead; without RUNG the fastest")
      .option("--size", "SIZE", options.candidate.size, "At this size, e.g. 256x1024")
      .option("--entry", "NAME", options.candidate.entry,
              "The function to call, if not the operator's name")
      .option("--operator", "NAME", options.candidate.operator_name,
              "The operator that the file computes")
      .choice("--chip", chip_names(), options.chip, "The chip to estimate for")
      .flag("--json", options.json, "One JSON object on standard output")
      .does([&session] { session.status = diagnose_candidate(options, session); });
}

}  // namespace kata::cli
