// kata check: compile, validate, and set beside the ladder.
#include <fmt/format.h>

#include <optional>
#include <random>

#include "cli/backend.h"
#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/terminal/terminal.h"
#include "grading/grade.h"
#include "practice/record.h"
#include "remote/grade_elsewhere.h"
#include "report/json.h"
#include "report/text/text.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/process.h"
#include "timing/chip.h"

namespace kata::cli {
namespace {

struct CheckOptions {
  CandidateOptions candidate;
  std::string backend;
  std::string chip;
  std::optional<std::uint64_t> seed;
  bool all_cases = false;
  bool no_ladder = false;
  bool lines = false;
  bool output = false;
  bool verbose = false;
  bool json = false;
  bool from_watch = false;
  bool changed = false;  ///< a change of a kernel that passed
  std::string report_folder;
  std::string on;
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

/// Whether somebody looks at counters, which nvcc's machine code gives best, in a second or two.
bool shows_counters(const CheckOptions& options) {
  const bool only_verdict = options.no_ladder && options.candidate.size.empty();
  return options.verbose || options.lines || (options.json && !options.from_watch && !only_verdict);
}

Result<GradeRequest> request_for(const CheckOptions& options) {
  Result<Candidate> candidate = find_candidate(options.candidate);
  if (!candidate) return candidate.error();
  if (options.lines && options.backend == "gpu")
    return Error{"--lines counts in the emulator: leave out --backend gpu"};
  const Result<Backend> backend =
      choose_backend(options.lines ? std::string("emulator") : options.backend, options.on);
  if (!backend) return backend.error();
  const bool both = wants_both(options.backend, *candidate);
  GradeRequest request{.candidate = std::move(*candidate),
                       .backend = *backend,
                       .with_emulator = both,
                       .seed = options.seed ? *options.seed : fresh_seed(),
                       .all_cases = options.all_cases,
                       .chip = options.chip,
                       .all_output = options.output,
                       .with_ladder = !options.no_ladder,
                       .all_counts = options.verbose || (options.json && !options.from_watch),
                       .counts_machine_code = shows_counters(options)};
  if (options.changed) judge_as_change(request);
  return request;
}

/// CTest shows it after its summary, also when the test passed: all of it, broken at words.
void leave_for_ctest(const Report& report, const std::filesystem::path& folder) {
  constexpr std::size_t any_number_of_rows = 1000;
  write_file(folder / (report.operator_name + ".txt"),
             to_text(report, {.rows = any_number_of_rows}));
}

/// The person's own work: not a rung, and not a look at one shape of it.
bool belongs_in_history(const Candidate& candidate) {
  if (candidate.size) return false;
  if (candidate.is_exercise) return candidate.entry.empty();
  std::error_code failed;
  const std::string solutions = (root() / "solutions" / "").string();
  return !std::filesystem::weakly_canonical(candidate.path, failed)
              .string()
              .starts_with(std::filesystem::weakly_canonical(solutions, failed).string());
}

/// Keeps the attempt as soon as its verdict is known: whoever has read it finds it in the history,
/// even if the output goes nowhere or Ctrl-C ends the ladder.
class Keeper {
 public:
  Keeper(const Candidate& candidate, AttemptKind kind)
      : candidate_(candidate), kind_(kind), wanted_(belongs_in_history(candidate)) {}

  /// Again with the same attempt when the ladder has added to it.
  void keep(const Report& report) {
    const bool is_attempt = report.verdict != Verdict::not_attempted;
    if (!wanted_ || !is_attempt || report.operator_name.empty()) return;
    recorded_ = record(report, kind_, candidate_, recorded_.id);
  }

  const std::string& remark() const { return recorded_.remark; }

 private:
  const Candidate& candidate_;
  AttemptKind kind_;
  bool wanted_;
  Recorded recorded_;
};

/// What the command line needs besides the candidate to judge the same again.
std::vector<std::string> options_of(const CheckOptions& options, const Config& config) {
  std::vector<std::string> words;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  add("--size", options.candidate.size);
  add("--entry", options.candidate.entry);
  add("--operator", options.candidate.operator_name);
  if (options.all_cases) words.push_back("--all-cases");
  if (options.backend != config.backend) add("--backend", options.backend);
  add("--on", options.on);
  return words;
}

TextOptions text_options(const CheckOptions& options, const Session& session) {
  return {.color = color_wanted(session.plain),
          .verbose = options.verbose,
          .lines = options.lines,
          .output = options.output,
          .rows = screen_rows(session.plain)};
}

/// `shown`: the person has read the result already, and it has not changed since.
int print(const Report& report, const CheckOptions& options, const Session& session,
          bool shown = false) {
  const TextOptions how = text_options(options, session);
  if (options.json) {
    fmt::print("{}", to_json_text(report));
  } else if (shown) {
    fmt::print("{}{}{}", ladder_text(report, how), verdict_text(report, how),
               next_step_text(report));
  } else {
    fmt::print("{}", to_text(report, how));
  }
  return exit_status(report.verdict);
}

int fail_early(const Error& error, const CheckOptions& options, const Session& session) {
  if (!options.json) return fail(error);
  Report report;
  report.operator_name = find_problem(options.candidate.what) ? options.candidate.what
                                                              : options.candidate.operator_name;
  report.verdict = Verdict::error;
  report.error = error.message;
  report.detail = error.detail;
  return print(report, options, session);
}

int check(const CheckOptions& options, const Session& session) {
  Result<GradeRequest> request = request_for(options);
  if (!request) return fail_early(request.error(), options, session);
  Result<Place> place = Place{};
  if (!options.on.empty()) place = find_place(session.config, options.on);
  if (!place) return fail_early(place.error(), options, session);

  Keeper keeper(request->candidate, options.from_watch ? AttemptKind::watch : AttemptKind::check);
  Report report;
  std::optional<Error> failed;
  bool shown = false;
  {
    Progress progress(session.plain || options.json);
    std::string right;  // how many cases, for who watches
    request->progress = [&](const std::string& what) {
      if (options.from_watch) fmt::print(stderr, "{}{}{}\n", progress_mark, right, what);
      progress.say(what);
    };
    std::size_t cases_shown = 0;
    const auto show = [&](const Report& so_far) {
      const CaseCount count = count_cases(so_far);
      right = fmt::format("{} of {} cases right, ", count.right, count.of);
      if (options.json) return;
      const TextOptions how = text_options(options, session);
      progress.print(shown ? more_cases_text(so_far, cases_shown, how) : result_text(so_far, how));
      cases_shown = so_far.cases.size();
      shown = true;
    };
    request->right_so_far = show;
    request->passed = [&](const Report& so_far) {
      keeper.keep(so_far);
      show(so_far);
    };
    Result<Report> judged =
        options.on.empty() ? grade(*request) : grade_elsewhere(*place, *request);
    if (!judged) failed = judged.error();
    if (judged) report = std::move(*judged);
    report.options = options_of(options, session.config);
  }
  if (interrupted()) return exit_error;
  if (failed) return fail_early(*failed, options, session);

  keeper.keep(report);
  if (!options.report_folder.empty()) leave_for_ctest(report, options.report_folder);
  const int status = print(report, options, session, shown && report.verdict == Verdict::pass);
  if (!keeper.remark().empty()) {
    std::fflush(stdout);  // the verdict first
    warn(keeper.remark());
  }
  return status;
}

/// `check --solution softmax`: the name was meant for the operator, not for the rung.
void untangle(CheckOptions& options) {
  CandidateOptions& typed = options.candidate;
  if (typed.what.empty() && typed.solution && find_problem(*typed.solution)) {
    typed.what = *typed.solution;
    typed.solution = "";
  }
}

}  // namespace

void add_check(CLI::App& app, Session& session) {
  static CheckOptions options;
  options.backend = session.config.backend;
  options.chip = session.config.chip;
  Command(app, "check", "Check your kernel: is it correct, and how fast?")
      .optional_operand("operator-or-file", options.candidate.what, "An operator, or any .cu file")
      .choice("--backend", {"auto", "gpu", "emulator"}, options.backend,
              "Where it runs; auto: both, if there is a GPU")
      .option_with_default("--solution", "RUNG", options.candidate.solution,
                           "Check a rung instead; without RUNG the fastest")
      .option("--size", "SIZE", options.candidate.size, "Check this size only, e.g. 256x1024")
      .choice("--chip", chips(), options.chip, "Estimate times for this chip, without a GPU")
      .option("--entry", "NAME", options.candidate.entry,
              "The function to call, if not the operator's name")
      .option("--operator", "NAME", options.candidate.operator_name,
              "The operator that the file computes")
      .option("--on", "NAME", options.on, "Run it on another machine: see kata remote")
      .number("--seed", options.seed, "Repeat a run with the inputs of this seed")
      .flag("--all-cases", options.all_cases, "Run every fixed case, also after failures")
      .flag("--no-ladder", options.no_ladder, "Show only the verdict: no times, no counts")
      .flag("--lines", options.lines, "Show the memory traffic of each source line")
      .flag("--output", options.output, "Show everything that the candidate prints")
      .flag("-v,--verbose", options.verbose, "Show every case, every rung and every finding")
      .flag("--json", options.json, "One JSON object on standard output")
      .hidden_flag("--from-watch", options.from_watch)
      .hidden_flag("--as-change", options.changed)
      .hidden_option("--report-folder", options.report_folder)
      .does([&session] {
        untangle(options);
        session.status =
            options.candidate.what.empty()
                ? fail({fmt::format("check needs an operator or a .cu file. Try: {} list",
                                    command_name())})
                : check(options, session);
      });
}

}  // namespace kata::cli
