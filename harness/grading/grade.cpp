#include "grading/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <thread>

#include "compile/uninitialized.h"
#include "grading/both_backends.h"
#include "grading/candidate.h"
#include "grading/counts.h"
#include "grading/estimates.h"
#include "grading/ladder.h"
#include "grading/level.h"
#include "grading/spawn.h"
#include "grading/timing.h"
#include "grading/uninitialized.h"
#include "judge/judge.h"
#include "report/advice.h"
#include "report/text/diagnostic.h"
#include "support/paths.h"
#include "timing/chip.h"
#include "timing/measured_times.h"

namespace kata {
namespace {

constexpr double case_limit_s = 10;
constexpr std::size_t most_output = 2000;    // bytes
constexpr double chosen_size_limit_s = 120;  // a person who asks for a size may ask for a large one

/// Seconds that the judge may take between two calls to draw inputs, compute the reference, compare
/// and explain: far more than it does.
double judging_limit_s(const Problem& problem, Backend backend) {
  constexpr double least_s = 60, seconds_per_element = 100e-9;
  std::size_t most = 0;
  const auto add = [&](const std::vector<Case>& cases) {
    for (const Case& one : cases) {
      std::size_t drawn = 0;
      for (const Parameter& tensor : problem.signature.tensors)
        drawn += elements(tensor, one.shape);
      most = std::max(most, drawn);
    }
  };
  add(problem.cases);
  if (backend == Backend::gpu) add(problem.large_cases);
  return least_s + seconds_per_element * static_cast<double>(most);
}

Report new_report(Backend backend, const GradeRequest& request) {
  Report report;
  report.candidate = shown(request.candidate.path);
  report.backend = backend == Backend::gpu ? "gpu" : "emulator";
  report.device = report.backend;
  report.seed = request.seed;
  if (request.candidate.problem) report.operator_name = request.candidate.problem->name;
  return report;
}

Report failed(Report report, const Error& error) {
  report.verdict = Verdict::error;
  report.error = error.message;
  report.detail = error.detail;
  if (error.unsupported_line > 0) {
    report.findings.push_back({.kind = FindingKind::unsupported,
                               .file = error.unsupported_file,
                               .line = error.unsupported_line,
                               .message = error.message});
  }
  return report;
}

void progress(const GradeRequest& request, const std::string& what) {
  if (request.progress) request.progress(what);
}

/// The case that a worker died in has no result of its own.
void add_unfinished_case(const Answers& answers, const Finding& cause, Report& report) {
  if (!answers.current || answers.current->stage != Stage::judging) return;
  report.cases.push_back(
      {.name = answers.current->what,
       .tested = answers.current->tested,
       .verdict = Verdict::fail,
       .explanation = std::string("the run ended with a ") + to_string(cause.kind)});
}

Verdict verdict_of(const Report& report) {
  const auto has = [&](Verdict verdict) {
    return std::any_of(report.cases.begin(), report.cases.end(),
                       [&](const CaseResult& one) { return one.verdict == verdict; });
  };
  if (has(Verdict::fail) || first_error(report.findings)) return Verdict::fail;
  return has(Verdict::error) || report.cases.empty() ? Verdict::error : Verdict::pass;
}

/// A file that needs what this backend does not have is neither right nor wrong.
void give_up_at(const Finding& unsupported, Report& report) {
  report.verdict = Verdict::error;
  report.error = fmt::format("{}:{}: {}; a GPU can judge this file", shown(unsupported.file),
                             unsupported.line, unsupported.message);
  report.cases.clear();
}

void add_output(const Finished& process, bool all, Report& report) {
  report.output = output_of(process);
  report.output_lines = std::count(report.output.begin(), report.output.end(), '\n') +
                        (!report.output.empty() && report.output.back() != '\n');
  if (all || report.output.size() <= most_output) return;
  const std::size_t more = report.output.size() - most_output;
  report.output =
      fmt::format("{}\n... and {} more bytes\n", report.output.substr(0, most_output), more);
}

/// What the worker said becomes the report's.
void take_over(const WorkerRun& run, double limit_s, Report& report) {
  const Answers& answers = run.answers;
  if (!answers.device.empty()) report.device = answers.device;
  report.cases = answers.cases;
  report.cases_not_run = answers.cases_not_run;
  report.cases_too_long = answers.cases_too_long;
  report.findings = answers.findings;
  report.counted_case = answers.counted_case;
  report.counted_shape = answers.counted_shape;
  report.kernels = answers.kernels;
  if (answers.error) {
    report = failed(std::move(report), *answers.error);
    return;
  }
  if (const std::optional<Error> fault = own_timeout(run)) {
    report = failed(std::move(report), *fault);
    return;
  }
  if (!answers.done) {
    const Finding cause = cause_of_death(run, limit_s);
    report.findings.push_back(cause);
    add_unfinished_case(answers, cause, report);
  }
  add_columns(report.findings);
  for (const Finding& finding : report.findings) {
    if (finding.kind == FindingKind::unsupported && finding.severity == Severity::error)
      return give_up_at(finding, report);
  }
  report.verdict = verdict_of(report);
  if (report.verdict != Verdict::error) return;
  for (const CaseResult& one : report.cases) {
    if (one.verdict == Verdict::error) report.error = one.name + ": " + one.explanation;
  }
}

/// What the counts say beside the problem's own measure.
void add_advice(const Problem& problem, Report& report) {
  const Shape& shape = report.counted_shape;
  if (shape.empty() || report.kernels.empty()) return;
  const Cost cost = problem.cost(shape);
  report.least_bytes = static_cast<std::uint64_t>(cost.bytes_read + cost.bytes_written);
  report.output_elements = static_cast<std::uint64_t>(output_elements(problem, shape));
  std::vector<Finding> found = advice(report.kernels);
  add_columns(found);
  report.findings.insert(report.findings.end(), found.begin(), found.end());
}

void add_counts(const Problem& problem, const GradeRequest& request, Report& report) {
  const Shape& shape = report.counted_shape;
  if (shape.empty() || report.kernels.empty()) return;
  report.counts = count_ladder(problem, shape, request);
  report.counts.insert(report.counts.begin(), add_up(RowKind::yours, yours_name, report.kernels));
}

/// Estimates for each size: yours if it is given, and the ladder. `limit_s`: for all sizes.
std::optional<Error> add_estimates(const Problem& problem, const std::vector<Shape>& shapes,
                                   const Estimated* yours, double limit_s,
                                   const GradeRequest& request, Report& report) {
  const Result<Chip> chip = find_chip(request.chip);
  if (!chip) return chip.error();
  report.chip = chip->name;
  const auto start = std::chrono::steady_clock::now();
  for (const Shape& shape : shapes) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    for (Estimate& one :
         estimate_ladder(problem, shape, *chip, yours, limit_s - passed.count(), request))
      report.estimates.push_back(std::move(one));
  }
  return {};
}

/// Measured now, else kept with the ladder, else estimated.
LadderTimes times_of_ladder(const Problem& problem, const Report& report) {
  const auto times_of = [](const std::string& device, const std::vector<TimingRow>& rows) {
    const Result<Chip> chip = find_chip_of(device);
    LadderTimes times{.chip = chip ? chip->name : device, .measured = true};
    // The first size comes first.
    for (const TimingRow& row : rows_at(rows, rows.front().size))
      times.us[row.name] = row.median_us;
    return times;
  };
  if (!report.timing.empty()) return times_of(report.device, report.timing);
  if (const Result<MeasuredTimes> kept = measured_times(problem))
    return times_of(kept->device, kept->rows);
  LadderTimes times{.chip = report.chip};
  for (const Estimate& row : report.estimates) times.us[row.name] = row.us;
  return times;
}

void add_times(const Problem& problem, const TimedKernel& yours, const GradeRequest& request,
               Report& report) {
  const Shape shape = request.candidate.size ? *request.candidate.size : problem.bench_shapes.at(0);
  const std::optional<Error> error = time_ladder(problem, {shape}, &yours, request, report);
  if (error) {
    report.findings.push_back({.kind = FindingKind::cuda_error,
                               .severity = Severity::warning,
                               .message = "no times: " + error->message});
  }
  report.verdict = verdict_of(report);
}

Report interrupted_report(Report report) {
  return failed(std::move(report), {"interrupted"});
}

/// What one backend says of a candidate, without the ladder.
struct Judged {
  Report report;
  std::optional<CompiledCandidate> compiled = {};  ///< none: the report says why
};

/// Compiles the candidate and runs all cases once.
Judged judge_once(Backend backend, const GradeRequest& request, Build build) {
  Report report = new_report(backend, request);
  const Candidate& candidate = request.candidate;
  progress(request, "compiling " + shown(candidate.path));
  Result<CompiledCandidate> compiled = compile_candidate(candidate, backend, build);
  if (!compiled) return {failed(std::move(report), compiled.error())};
  const auto& [module, entry] = *compiled;
  const Problem& problem = *entry.problem;
  report.operator_name = problem.name;

  Job job{.kind = Job::Kind::judge,
          .operator_name = problem.name,
          .module = module.path,
          .entry = entry.function,
          .seed = request.seed,
          .time_limit_s = case_limit_s,
          .all_cases = request.all_cases};
  if (backend == Backend::gpu) {
    if (const Result<Module> ceilings = ceiling_kernels()) job.ceilings_module = ceilings->path;
  }
  if (candidate.size) {
    job.shapes = {*candidate.size};
    job.time_limit_s = chosen_size_limit_s;
  }
  progress(request, "judging " + shown(candidate.path));
  const std::size_t usual = usual_cases(problem, request.seed, request.all_cases).size();
  const std::size_t more = grid_limit_cases(problem).size() + problem.large_cases.size() + 2;
  const double own_limit_s = judging_limit_s(problem, backend);
  const double limit_s = static_cast<double>(usual + more) * (job.time_limit_s + own_limit_s + 2);
  const bool in_halves = backend == Backend::emulator && !candidate.size;
  const Result<WorkerRun> run =
      in_halves ? judge_in_halves(job, problem, {(usual + 1) / 2, usual}, limit_s, own_limit_s)
                : run_worker(backend, job, limit_s, own_limit_s);
  if (!run) return {failed(std::move(report), run.error())};
  add_output(run->process, request.all_output, report);
  take_over(*run, job.time_limit_s, report);
  return {std::move(report), std::move(*compiled)};
}

/// Begins to compile what judge_uninitialized may judge later. With a second core this costs no
/// time.
std::future<void> compile_with_zeros(Backend backend, const Candidate& candidate) {
  if (backend != Backend::emulator || std::thread::hardware_concurrency() < 2 ||
      !has_unset_locals(candidate.path, candidate.text))
    return {};
  return std::async(std::launch::async, [=] {
    static_cast<void>(compile_candidate(candidate, backend, Build::checked_zero_locals));
  });
}

using FastModule = std::future<Result<CompiledCandidate>>;

/// Begins to compile what judge_at_native_speed will run.
FastModule compile_fast(Backend backend, const Candidate& candidate) {
  if (backend != Backend::emulator || candidate.size) return {};
  return std::async(std::launch::async,
                    [=] { return compile_candidate(candidate, backend, Build::fast); });
}

/// Many calls and large cases, of a candidate that has passed the usual ones.
void judge_at_native_speed(FastModule module, const GradeRequest& request, Report& report) {
  const Result<CompiledCandidate> compiled = module.get();
  if (!compiled) return;  // it was compiled with instruments
  const Problem& problem = *compiled->entry.problem;
  progress(request, "large cases of " + shown(request.candidate.path));
  const Job job{.kind = Job::Kind::judge_large,
                .operator_name = problem.name,
                .module = compiled->module.path,
                .entry = compiled->entry.function,
                .seed = request.seed,
                .time_limit_s = case_limit_s,
                .checked = false};
  const LargeCases cases = large_cases(problem, request.seed);
  const double own_limit_s = judging_limit_s(problem, Backend::emulator);
  const double limit_s =
      static_cast<double>(cases.results()) * 4 * (job.time_limit_s + own_limit_s);
  const Result<WorkerRun> run = judge_in_halves(
      job, problem, {middle_of(problem, cases), cases.results()}, limit_s, own_limit_s);
  Report of_large = new_report(Backend::emulator, request);
  if (!run) {
    report = failed(std::move(report), run.error());
    return;
  }
  take_over(*run, job.time_limit_s, of_large);
  report.cases.insert(report.cases.end(), of_large.cases.begin(), of_large.cases.end());
  report.cases_not_run = of_large.cases_not_run;
  report.cases_too_long = of_large.cases_too_long;
  for (const Finding& one : of_large.findings) {
    const auto is_same = [&](const Finding& other) {
      return one.kind == other.kind && one.file == other.file && one.line == other.line;
    };
    if (std::ranges::none_of(report.findings, is_same)) report.findings.push_back(one);
  }
  report.verdict = of_large.verdict;
  report.error = of_large.error;
}

Judged judge_on(Backend backend, const GradeRequest& request) {
  FastModule fast = compile_fast(backend, request.candidate);
  const std::future<void> with_zeros = compile_with_zeros(backend, request.candidate);
  Judged judged = judge_once(backend, request, Build::checked);
  if (!judged.compiled) return judged;
  const auto judge_again = [&] {
    if (with_zeros.valid()) with_zeros.wait();
    GradeRequest quiet = request;
    quiet.progress = {};
    quiet.right_so_far = {};
    return judge_once(backend, quiet, Build::checked_zero_locals).report;
  };
  judge_uninitialized(judged.compiled->module.uninitialized, judge_again, judged.report);
  if (backend == Backend::emulator) add_advice(*judged.compiled->entry.problem, judged.report);
  if (fast.valid() && judged.report.verdict == Verdict::pass) {
    if (request.right_so_far) request.right_so_far(judged.report);
    judge_at_native_speed(std::move(fast), request, judged.report);
  }
  return judged;
}

}  // namespace

Report grade(const GradeRequest& request) {
  const Candidate& candidate = request.candidate;
  if (const Problem* stub_of = untouched_stub_of(candidate)) {
    Report report = new_report(request.backend, request);
    report.operator_name = stub_of->name;
    report.verdict = Verdict::not_attempted;
    return report;
  }
  std::future<Judged> emulated;
  if (request.backend == Backend::gpu && request.with_emulator) {
    GradeRequest quiet = request;
    quiet.progress = {};
    quiet.right_so_far = {};
    emulated = std::async(std::launch::async, judge_on, Backend::emulator, std::move(quiet));
  }
  auto [report, compiled] = judge_on(request.backend, request);
  if (emulated.valid()) add_emulated(emulated.get().report, report);
  if (!compiled) return std::move(report);
  const auto& [module, entry] = *compiled;
  const Problem& problem = *entry.problem;

  // The time of a kernel says nothing about work that the CPU does.
  const bool is_timed = !has_kind(report.findings, FindingKind::host_computation);
  if (report.verdict == Verdict::pass && request.with_ladder && is_timed) {
    if (request.passed) request.passed(report);
    if (request.backend == Backend::emulator) {
      add_counts(problem, request, report);
      const Shape shape =
          request.candidate.size ? *request.candidate.size : problem.bench_shapes.at(0);
      const Estimated yours{RowKind::yours, yours_name, module, entry.function};
      if (request.chip != "none")
        add_estimates(problem, {shape}, &yours, checking_limit_s, request, report);
    } else {
      add_times(problem, {RowKind::yours, yours_name, module.path, entry.function}, request,
                report);
    }
    const std::vector<Rung> rungs = ladder(problem.name);
    report.level = level_of(report, rungs, rung_with_text(rungs, candidate.text));
    if (report.level)
      report.level->slower_next =
          slower_next(*report.level, rungs, times_of_ladder(problem, report));
  }
  return interrupted() ? interrupted_report(std::move(report)) : report;
}

Report grade(const std::filesystem::path& path, const CandidateArguments& arguments,
             GradeRequest request) {
  Result<Candidate> candidate = read_candidate(path, arguments);
  request.candidate =
      candidate ? std::move(*candidate) : Candidate{.path = path, .problem = arguments.problem};
  return candidate ? grade(request)
                   : failed(new_report(request.backend, request), candidate.error());
}

Report bench(const GradeRequest& request) {
  Report report = new_report(request.backend, request);
  const Candidate& candidate = request.candidate;
  std::optional<Estimated> yours;
  const Problem* problem = candidate.problem;
  const Problem* const stub_of = candidate.path.empty() ? problem : untouched_stub_of(candidate);
  if (stub_of) {
    problem = stub_of;
  } else {
    progress(request, "compiling " + shown(candidate.path));
    const Result<CompiledCandidate> compiled = compile_candidate(candidate, request.backend);
    if (!compiled) return failed(std::move(report), compiled.error());
    problem = compiled->entry.problem;
    yours = Estimated{RowKind::yours, yours_name, compiled->module, compiled->entry.function};
  }
  report.operator_name = problem->name;
  const std::vector<Shape> sizes =
      candidate.size ? std::vector<Shape>{*candidate.size} : problem->bench_shapes;
  std::optional<Error> error;
  if (request.backend == Backend::emulator) {
    // Beside a stub, what is kept of the ladder does.
    const bool is_stub = stub_of && !candidate.path.empty();
    error = add_estimates(*problem, sizes, yours ? &*yours : nullptr,
                          is_stub ? checking_limit_s : benching_limit_s, request, report);
  } else if (yours) {
    const TimedKernel kernel{yours->kind, yours->name, yours->module.path, yours->entry};
    error = time_ladder(*problem, sizes, &kernel, request, report);
  } else {
    error = time_ladder(*problem, sizes, nullptr, request, report);
  }
  if (error) return failed(std::move(report), *error);
  report.verdict = first_error(report.findings) ? Verdict::fail : Verdict::pass;
  return interrupted() ? interrupted_report(std::move(report)) : report;
}

}  // namespace kata
