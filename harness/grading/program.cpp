#include "grading/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

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

Result<Module> compile_program(const ProgramRequest& request) {
  const fs::path& first = request.sources.front();
  if (request.progress) request.progress("compiling " + shown(first));
  Result<Module> module =
      compile({.source = first,
               .instrumented = request.checked,
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
  const Result<Module> module = compile_program(request);
  if (!module) return failed(std::move(report), module.error());
  const Job job{.kind = Job::Kind::run,
                .module = module->path,
                .checked = request.checked,
                .output_on_errors = request.output_on_errors};
  std::vector<std::string> arguments = request.arguments;
  arguments.insert(arguments.begin(), program_name(request.sources.front()));
  if (request.begins) request.begins();
  const Result<WorkerRun> run = run_program_worker(job, arguments);
  if (!run) return failed(std::move(report), run.error());
  if (run->answers.error) return failed(std::move(report), *run->answers.error);
  report.findings = run->answers.findings;
  for (Finding& one : findings_of(module->uninitialized, false))
    report.findings.push_back(std::move(one));
  report.kernels = run->answers.kernels;
  report.program = end_of(*run);
  report.program->checked = request.checked;
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
