// kata check: compile, validate, and set beside the ladder.
#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <random>

#include "cli/backend.h"
#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "grading/grade.h"
#include "practice/record.h"
#include "report/json.h"
#include "report/text.h"
#include "support/files.h"
#include "support/process.h"
#include "timing/chip.h"

namespace kata::cli {
namespace {

struct Options {
  std::string what;
  std::string backend = "auto";
  std::optional<std::string> solution;
  std::string size;
  std::string entry;
  std::string chip = "h200";
  std::string operator_name;
  std::optional<std::uint64_t> seed;
  bool no_ladder = false;
  bool lines = false;
  bool json = false;
};

/// What a time can be estimated for.
std::vector<std::string> chips() {
  std::vector<std::string> names = chip_names();
  names.push_back("none");
  return names;
}

std::uint64_t fresh_seed() {
  return std::random_device{}() % 1'000'000;  // short enough to type again
}

/// What --solution names, else the person's file.
Result<Candidate> candidate_for(const Options& options) {
  if (!options.solution) return find_candidate(options.what, options.operator_name);
  const Result<const Problem*> problem = find_operator(options.what);
  if (!problem) return problem.error();
  const Result<Rung> rung = find_rung(options.what, *options.solution);
  if (!rung) return rung.error();
  return Candidate{.source = rung->path, .problem = *problem};
}

Result<GradeRequest> request_for(const Options& options, const Candidate& candidate) {
  GradeRequest request{.source = candidate.source,
                       .problem = candidate.problem,
                       .entry = options.entry,
                       .seed = options.seed ? *options.seed : fresh_seed(),
                       .chip = options.chip,
                       .with_ladder = !options.no_ladder};
  if (options.lines && options.backend == "gpu")
    return Error{"--lines counts in the emulator: leave out --backend gpu"};
  const Result<Backend> backend =
      choose_backend(options.lines ? std::string("emulator") : options.backend);
  if (!backend) return backend.error();
  request.backend = *backend;
  if (options.size.empty()) return request;
  const Result<Shape> shape = parse_shape(options.size);
  if (!shape) return shape.error();
  request.size = *shape;
  return request;
}

/// Where CTest shows it from after its summary, also when the test passed.
void leave_for_ctest(const Report& report) {
  const char* const folder = std::getenv("KATA_REPORT_DIR");
  if (!folder || !*folder) return;
  write_file(std::filesystem::path(folder) / (report.operator_name + ".txt"), to_text(report));
}

/// `told`: the person has read the verdict already, and it has not changed since.
int print(const Report& report, const Options& options, const Session& session, bool told = false) {
  const TextOptions text_options{.color = color_wanted(session.plain), .lines = options.lines};
  const auto& as_text = told ? ladder_text : to_text;
  fmt::print("{}", options.json ? to_json_text(report) : as_text(report, text_options));
  return exit_status(report.verdict);
}

int fail_early(const Error& error, const Options& options, const Session& session) {
  if (!options.json) return fail(error);
  Report report;
  report.operator_name = options.what;
  report.verdict = Verdict::error;
  report.error = error.message;
  report.detail = error.detail;
  return print(report, options, session);
}

/// `kata watch` says in the environment that it is the one that asks.
AttemptKind attempt_kind() {
  const char* const kind = std::getenv("KATA_ATTEMPT_KIND");
  return kind && kind == std::string("watch") ? AttemptKind::watch : AttemptKind::check;
}

int check(const Options& options, const Session& session) {
  const Result<Candidate> candidate = candidate_for(options);
  if (!candidate) return fail_early(candidate.error(), options, session);
  Result<GradeRequest> request = request_for(options, *candidate);
  if (!request) return fail_early(request.error(), options, session);

  const std::optional<std::string> text = read_file(candidate->source);
  Report report;
  bool told = false;
  {
    Progress progress(session.plain || options.json);
    request->progress = [&progress](const std::string& what) { progress.say(what); };
    if (!options.json) {
      request->passed = [&](const Report& so_far) {
        progress.print(
            verdict_text(so_far, {.color = color_wanted(session.plain), .lines = options.lines}));
        told = true;
      };
    }
    report = grade(*request);
  }
  if (interrupted()) return exit_error;

  leave_for_ctest(report);
  const int status = print(report, options, session, told && report.verdict == Verdict::pass);
  const bool whole_check = candidate->is_exercise && options.size.empty() && options.entry.empty();
  if (whole_check && text && report.verdict != Verdict::not_attempted) {
    std::fflush(stdout);  // the person reads the verdict while the disk writes
    const std::string remark = record(report, attempt_kind(), *text);
    if (!remark.empty()) warn(remark);
  }
  return status;
}

/// `check --solution softmax`: the name was meant for the operator, not for the rung.
void untangle(Options& options) {
  if (options.what.empty() && options.solution && find_problem(*options.solution)) {
    options.what = *options.solution;
    options.solution = "";
  }
}

}  // namespace

void add_check(CLI::App& app, Session& session) {
  static Options options;
  Command(app, "check", "Judge your kernel: is it right, and how good is it")
      .optional_operand("operator-or-file", options.what, "An operator, or any .cu file")
      .choice("--backend", {"auto", "gpu", "emulator"}, options.backend,
              "Where it runs; auto: the GPU if there is one")
      .option_with_default("--solution", "RUNG", options.solution,
                           "A rung instead, by number or name, or the last")
      .option("--size", "SIZE", options.size, "That shape alone, e.g. 256x1024")
      .choice("--chip", chips(), options.chip, "Without a GPU: estimate times for it")
      .option("--entry", "NAME", options.entry, "The entry function's name in the file")
      .option("--operator", "NAME", options.operator_name, "What the file computes")
      .number("--seed", options.seed, "Repeat a run with the inputs of this seed")
      .flag("--no-ladder", options.no_ladder, "The verdict alone: no times, no counts")
      .flag("--lines", options.lines, "Each source line with what it asks of memory")
      .flag("--json", options.json, "One JSON object on standard output")
      .does([&session] {
        untangle(options);
        session.status = options.what.empty()
                             ? fail({"check needs an operator or a .cu file. Try: kata list"})
                             : check(options, session);
      });
}

}  // namespace kata::cli
