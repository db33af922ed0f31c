#include "grading/program.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iterator>

#include "compile/compile.h"
#include "grading/candidate.h"
#include "grading/spawn.h"
#include "grading/uninitialized.h"
#include "grading/worker_report.h"
#include "report/advice.h"
#include "report/text/diagnostic.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

Result<Module> compile_program(const ProgramRequest& request, bool checked) {
  const fs::path& first = request.sources.front();
  if (request.progress) request.progress("compiling " + shown(first));
  Result<Module> module =
      compile({.source = first,
               .instrumented = checked,
               .more_sources = {request.sources.begin() + 1, request.sources.end()},
               .include_folders = request.include_folders,
               .definitions = request.definitions,
               .openmp = request.openmp,
               .standard = request.standard});
  if (!module) return module.error();
  const auto& functions = module->functions;
  if (std::find(functions.begin(), functions.end(), "main") != functions.end()) return module;
  return Error{fmt::format("{} defines no main; to judge an operator: {} check {}", shown(first),
                           command_name(), shown(first))};
}

/// What a shell would call the program that nvcc makes of it.
std::string program_name(const fs::path& source) {
  return (source.parent_path() / source.stem()).string();
}

/// Standard input for a program that runs twice.
class Input {
 public:
  /// What a pipe has given is gone; a terminal or /dev/null gives as much again.
  bool comes_again() const {
    struct stat kind {};
    return fstat(STDIN_FILENO, &kind) != 0 || S_ISCHR(kind.st_mode) || S_ISREG(kind.st_mode);
  }
  void rewind() const {
    if (begin_ >= 0) lseek(STDIN_FILENO, begin_, SEEK_SET);
  }

 private:
  off_t begin_ = lseek(STDIN_FILENO, 0, SEEK_CUR);  ///< of a file
};

Result<WorkerRun> run_once(const ProgramRequest& request, const Module& module, bool checked,
                           double limit_s) {
  const Job job{.kind = Job::Kind::run,
                .module = module.path,
                .checked = checked,
                .output_on_errors = request.output_on_errors};
  std::vector<std::string> arguments = request.arguments;
  arguments.insert(arguments.begin(), program_name(request.sources.front()));
  Result<WorkerRun> run = run_program_worker(job, arguments, limit_s);
  if (run && run->answers.error) return *run->answers.error;
  return run;
}

/// To its end, without checks. What it finds is added to `findings`.
Result<WorkerRun> run_unchecked(const ProgramRequest& request, std::vector<Finding>& findings) {
  ProgramRequest quiet = request;
  quiet.progress = {};
  const Result<Module> module = compile_program(quiet, false);
  if (!module) return module.error();
  if (request.begins_again) request.begins_again();
  Result<WorkerRun> run = run_once(request, *module, false, 0);
  if (!run) return run;
  std::ranges::move(run->answers.findings, std::back_inserter(findings));
  drop_repeated(findings);
  return run;
}

ProgramEnd end_of(const WorkerRun& run) {
  const std::optional<Death>& death = run.answers.death;
  if (!death) return {.exit_status = run.process.exit_status, .signal = run.process.signal};
  return {.signal = death->signal, .file = death->file, .line = death->line};
}

Verdict verdict_of_program(const Report& report) {
  const bool returned_zero = report.program->signal == 0 && report.program->exit_status == 0;
  return returned_zero && !first_error(report.findings) ? Verdict::pass : Verdict::fail;
}

}  // namespace

Report run_program(const ProgramRequest& request) {
  Report report;
  report.candidate = shown(request.sources.front());
  report.backend = "emulator";
  report.device = "emulator";
  const Result<Module> module = compile_program(request, request.checked);
  if (!module) return failed(std::move(report), module.error());
  const Input input;
  const double limit_s = request.checked && input.comes_again() ? request.checked_s : 0;
  if (request.begins) request.begins();
  Result<WorkerRun> run = run_once(request, *module, request.checked, limit_s);
  if (!run) return failed(std::move(report), run.error());
  report.findings = run->answers.findings;
  report.kernels = run->answers.kernels;
  const bool is_over = run->process.timed_out;
  if (is_over && !first_error(report.findings)) {
    input.rewind();
    run = run_unchecked(request, report.findings);
    if (!run) return failed(std::move(report), run.error());
  }
  for (Finding& one : findings_of(module->uninitialized, false))
    report.findings.push_back(std::move(one));
  report.program = end_of(*run);
  report.program->checked = request.checked;
  if (is_over) report.program->checked_s = limit_s;
  report.program->was_ended = run->process.timed_out;
  if (run->process.timed_out) report.program->signal = 0;  // it was kata's
  const int signal = report.program->signal;
  if (signal != 0 && signal != SIGINT && signal != SIGTERM) {
    report.findings.push_back(
        {.kind = FindingKind::crash,
         .file = report.program->file,
         .line = report.program->line,
         .message = fmt::format("the program crashed ({})", describe_signal(signal))});
  }
  if (request.checked) {
    for (Finding& one : advice(report.kernels, true)) report.findings.push_back(std::move(one));
  }
  add_columns(report.findings);
  report.verdict = verdict_of_program(report);
  const auto unsupported =
      std::find_if(report.findings.begin(), report.findings.end(), [](const Finding& one) {
        return one.kind == FindingKind::unsupported && one.severity == Severity::error;
      });
  if (unsupported != report.findings.end()) {
    report.verdict = Verdict::error;
    report.error =
        fmt::format("{}:{}: {}", shown(unsupported->file), unsupported->line, unsupported->message);
  }
  return report;
}

}  // namespace kata
