// kata grade: judges what a class has handed in.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "classroom/judge_class.h"
#include "classroom/results.h"
#include "classroom/sandbox.h"
#include "classroom/viva_sheets.h"
#include "cli/backend.h"
#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/terminal/terminal.h"
#include "grading/ladder.h"
#include "remote/connection.h"
#include "support/paths.h"
#include "support/process.h"

namespace kata::cli {
namespace {

namespace fs = std::filesystem;

struct GradeOptions {
  std::string folder, operator_name, on;
  std::string out = "grades";
  std::string backend = "auto";
  std::optional<std::uint64_t> jobs, seed, seconds, megabytes, points, similar, viva;
  std::string only;  ///< the number of one submission, in a Slurm array
  bool no_sandbox = false;
  bool json = false;
};

fs::path full_path(const fs::path& path) {
  return fs::weakly_canonical(fs::absolute(path));
}

/// What the sandbox hides: others' work, and what is private to whoever starts this.
std::vector<fs::path> private_folders(const fs::path& submissions, const fs::path& out) {
  std::vector<fs::path> folders{"/home", "/root"};
  if (const char* home = std::getenv("HOME")) folders.push_back(home);
  for (const fs::path& one : {state_folder(), config_folder(), submissions, out})
    folders.push_back(full_path(one));
  return folders;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const auto [end_of_folder, rest] = std::ranges::mismatch(folder, path);
  return end_of_folder == folder.end();
}

Result<ClassRun> prepare(const GradeOptions& options) {
  const fs::path folder = full_path(options.folder);
  const fs::path out = full_path(options.out);
  if (lies_in(out, folder)) {
    return Error{
        fmt::format("the results would lie among the submissions of {} and be judged with "
                    "them: give another folder with --out",
                    shown(folder))};
  }
  if (!options.operator_name.empty()) {
    const Result<const Problem*> problem = find_operator(options.operator_name);
    if (!problem) return problem.error();
  }
  Result<std::vector<HandIn>> submissions = find_submissions(folder, options.operator_name);
  if (!submissions) return submissions.error();
  const Result<Backend> backend = choose_backend(options.backend, options.on);
  if (!backend) return backend.error();
  const bool on_gpu = *backend == Backend::gpu;
  const std::string why = options.no_sandbox ? "--no-sandbox" : why_no_sandbox();
  if (!why.empty() && options.only.empty()) {
    warn(fmt::format("no sandbox: {}. Submissions can read what you can read", why));
  }
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  return ClassRun{.submissions = std::move(*submissions),
                  .rules = {.operator_name = options.operator_name,
                            .backend = on_gpu ? "auto" : "emulator",
                            .seed = options.seed.value_or(1),
                            .seconds = static_cast<double>(options.seconds.value_or(120)),
                            .megabytes = options.megabytes.value_or(4096),
                            .sandbox = why.empty(),
                            .hidden = private_folders(folder, out)},
                  .version = this_harness(),
                  .kept = out / ".kept",
                  // Two kernels at once would spoil each other's times.
                  .jobs = static_cast<unsigned>(options.jobs.value_or(on_gpu ? 1 : cores))};
}

/// The same command for a task of a Slurm array, but for --only.
std::vector<std::string> command_of_task(const GradeOptions& options, const ClassRun& run) {
  std::vector<std::string> words{(program_folder() / "kata").string(),
                                 "grade",
                                 full_path(options.folder).string(),
                                 "--out",
                                 full_path(options.out).string(),
                                 "--backend",
                                 run.rules.backend,
                                 "--seed",
                                 std::to_string(run.rules.seed),
                                 "--seconds",
                                 fmt::format("{:.0f}", run.rules.seconds),
                                 "--memory",
                                 std::to_string(run.rules.megabytes)};
  if (!options.operator_name.empty())
    words.insert(words.end(), {"--operator", options.operator_name});
  if (options.no_sandbox) words.push_back("--no-sandbox");
  return words;
}

Result<std::vector<JudgedHandIn>> judge_all(const GradeOptions& options, ClassRun& run,
                                            const Session& session) {
  Progress progress(session.plain);
  const std::size_t all = run.submissions.size();
  run.progress = [&progress, all](std::size_t done) {
    progress.say(fmt::format("{} of {} submissions are done", done, all));
  };
  if (!options.on.empty()) {
    const Result<Place> place = find_place(session.config, options.on);
    if (!place) return place.error();
    if (place->remote.srun.empty() || !place->remote.host.empty()) {
      return Error{
          fmt::format("grade --on takes a Slurm cluster that this machine belongs to. Add "
                      "it here: {} remote add {} --srun OPTIONS",
                      command_name(), options.on)};
    }
    const auto failed = judge_in_slurm(run, place->remote.srun, command_of_task(options, run));
    if (failed) return *failed;
  }
  return judge_class(run);
}

/// Sheets of questions about what passes; nothing without --viva.
std::optional<Error> examine(const GradeOptions& options, ClassRun& run,
                             const std::vector<JudgedHandIn>& outcomes, const fs::path& out,
                             const Session& session) {
  if (!options.viva) return {};
  Progress progress(session.plain);
  run.progress = [&progress, all = outcomes.size()](std::size_t done) {
    progress.say(fmt::format("{} of {} sheets of questions are done", done, all));
  };
  const auto sheets = viva_sheets(run, outcomes, *options.viva);
  return sheets ? write_viva(*sheets, out) : sheets.error();
}

/// The option that has a number of no use; empty if there is none.
int grade_class(const GradeOptions& options, const Session& session) {
  Result<ClassRun> run = prepare(options);
  if (!run) return fail(run.error(), options.json);
  if (!options.only.empty()) {
    const auto failed = judge_one(*run, std::strtoul(options.only.c_str(), nullptr, 10));
    return failed ? fail(*failed) : 0;
  }
  Result<std::vector<JudgedHandIn>> outcomes = judge_all(options, *run, session);
  if (!outcomes) return fail(outcomes.error(), options.json);
  ClassResults results{.outcomes = std::move(*outcomes), .points = options.points.value_or(100)};
  Result<std::vector<Similar>> similar =
      similar_submissions(results.outcomes, static_cast<int>(options.similar.value_or(80)));
  if (similar) {
    results.similar = std::move(*similar);
  } else {
    warn(similar.error().message);
  }
  const fs::path out = full_path(options.out);
  if (const auto failed = write_results(results, out)) return fail(*failed, options.json);
  if (const auto failed = examine(options, *run, results.outcomes, out, session))
    return fail(*failed, options.json);
  if (options.json) {
    fmt::print("{}", to_json_text(results));
    return 0;
  }
  fmt::print("{}\nNext: open {}\n", to_text(results), shown(out / "index.html"));
  if (options.viva)
    fmt::print("Questions: {}, answers: {}\n", shown(out / "people/NAME/viva.html"),
               shown(out / "viva_answers.html"));
  return 0;
}

}  // namespace

void add_grade(CLI::App& app, Session& session) {
  static GradeOptions options;
  Command(app, "grade", "Judge the submissions of a class; write tables")
      .operand("folder", options.folder, "One .cu file or one folder for each person")
      .option("--operator", "NAME", options.operator_name,
              "The operator; else it is found in each file")
      .option("--out", "DIR", options.out, "For the results; else grades")
      .number("--jobs", options.jobs, "Submissions at a time; else the cores, on a GPU 1",
              {.least = 1})
      .option("--on", "NAME", options.on, "As a Slurm array on this machine (kata remote)")
      .choice("--backend", {"auto", "gpu", "emulator"}, options.backend, "Where they run")
      .number("--seconds", options.seconds, "For one submission; else 120", {.least = 1})
      .number("--memory", options.megabytes, "MB for one submission; else 4096")
      .number("--points", options.points, "For one that passes; else 100")
      .number("--similar", options.similar, "Percent from which two are similar; else 80",
              {.least = 1, .most = 100})
      .number("--viva", options.viva, "So many questions about each file that passes", {.least = 1})
      .number("--seed", options.seed, "Of the inputs and questions; else 1")
      .flag("--no-sandbox", options.no_sandbox, "Without bubblewrap, e.g. in a container")
      .flag("--json", options.json, "The results as one JSON object")
      .hidden_option("--only", options.only)
      .does([&session] { session.status = grade_class(options, session); });
}

}  // namespace kata::cli
