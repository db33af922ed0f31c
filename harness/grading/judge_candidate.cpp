#include "grading/judge_candidate.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <future>
#include <iterator>
#include <ranges>
#include <string_view>
#include <thread>
#include <utility>

#include "compile/uninitialized.h"
#include "emulator/rewriter/rewrite.h"
#include "grading/near_sizes.h"
#include "grading/parameter_names.h"
#include "grading/timing.h"
#include "grading/uninitialized.h"
#include "grading/worker_report.h"
#include "judge/judge.h"
#include "report/advice.h"
#include "report/text/diagnostic.h"
#include "support/paths.h"

namespace kata {
namespace {

constexpr double case_limit_s = 10;
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

/// By which factor, as a logarithm, two sizes differ in their proportions: 0 if one is the other
/// with every dimension scaled alike.
double apart(const Shape& a, const Shape& b) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double scale = std::log(std::max(a[i], 1)) - std::log(std::max(b[i], 1));
    least = std::min(least, scale);
    most = std::max(most, scale);
  }
  return most - least;
}

/// A usual case whose proportions are more like a size of the bench than the counted one's: three
/// long rows say little of a kernel for many. Null if there is none with a quarter of the work.
const Case* case_like_the_bench(const Problem& problem, const Shape& counted) {
  const auto unlike = [&](const Shape& shape) {
    const auto from_shape = [&](const Shape& bench) { return apart(shape, bench); };
    return std::ranges::min(problem.bench_shapes | std::views::transform(from_shape));
  };
  constexpr double much = 1;
  const Case* best = nullptr;
  double least = unlike(counted) - much;
  for (const Case& one : problem.cases) {
    if (4 * work(problem, one) < work(problem, {counted}) || unlike(one.shape) >= least) continue;
    best = &one;
    least = unlike(one.shape);
  }
  return best;
}

/// The launches of one case alone, counted; none if it cannot be run.
std::vector<KernelRecord> launches_of(const CompiledCandidate& compiled, const Case& one,
                                      std::uint64_t seed) {
  const Job job{.kind = Job::Kind::judge,
                .operator_name = compiled.entry.problem->name,
                .module = compiled.module.path,
                .entry = compiled.entry.function,
                .seed = seed,
                .time_limit_s = case_limit_s,
                .shapes = {one.shape},
                .values = one.values,
                .reals = one.reals};
  const auto run = run_worker(Backend::emulator, job, 10 * case_limit_s);
  return run ? run->answers.kernels : std::vector<KernelRecord>();
}

/// What the counts say beside the problem's own measure, and what they advise: of a kernel that is
/// right from a case like the sizes of the bench, unless a person has chosen one.
void add_advice(const CompiledCandidate& compiled, bool size_is_chosen, Report& report) {
  const Problem& problem = *compiled.entry.problem;
  const Shape& shape = report.counted_shape;
  // How often kernels look at each other's flags depends on the schedule.
  if (shape.empty() || report.kernels.empty() || uses_devices(problem)) return;
  const Cost cost = problem.cost(shape);
  report.least_bytes = static_cast<std::uint64_t>(cost.bytes_read + cost.bytes_written);
  report.output_elements = static_cast<std::uint64_t>(output_elements(problem, shape));
  const bool looks_elsewhere = report.verdict == Verdict::pass && !size_is_chosen;
  const Case* const like_bench = looks_elsewhere ? case_like_the_bench(problem, shape) : nullptr;
  const auto kernels =
      like_bench ? launches_of(compiled, *like_bench, report.seed) : std::vector<KernelRecord>();
  std::vector<Finding> found = advice(kernels.empty() ? report.kernels : kernels);
  add_columns(found);
  report.findings.insert(report.findings.end(), found.begin(), found.end());
}

/// Whether its text has a cooperative launch: a function or an attribute with this in its name.
bool cooperates(const Candidate& candidate) {
  return candidate.text.find("Cooperative") != std::string::npos;
}

/// Compiles the candidate and runs all cases once.
Judged judge_once(Backend backend, const GradeRequest& request, Build build) {
  Report report = new_report(backend, request);
  const Candidate& candidate = request.candidate;
  request.say("compiling " + shown(candidate.path));
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
          .time_limit_s =
              request.strict_limit_s.value_or(candidate.size ? chosen_size_limit_s : case_limit_s),
          .patient = !request.strict_limit_s,
          .all_cases = request.all_cases,
          .cooperates = cooperates(candidate)};
  if (backend == Backend::gpu) {
    if (const Result<Module> ceilings = ceiling_kernels()) job.ceilings_module = ceilings->path;
  }
  if (candidate.size) {
    job.shapes = {*candidate.size};
    job.values = candidate.values;
    job.reals = candidate.reals;
  }
  request.say("judging " + shown(candidate.path));
  const std::size_t usual = usual_cases(problem, request.seed, request.all_cases).size();
  const std::size_t more = launch_cases(problem).size() + problem.large_cases.size() + 2;
  const double own_limit_s = judging_limit_s(problem, backend);
  const double limit_s = static_cast<double>(usual + more) * (job.time_limit_s + own_limit_s + 2);
  const bool in_halves = backend == Backend::emulator && !candidate.size;
  const Result<WorkerRun> run =
      in_halves ? judge_in_halves(job, problem, {(usual + 1) / 2, usual}, limit_s, own_limit_s,
                                  request.noticed)
                : run_worker(backend, job, limit_s, own_limit_s, request.noticed);
  if (!run) return {failed(std::move(report), run.error())};
  add_output(run->process, request.all_output, report);
  take_over(*run, job.time_limit_s, report);
  explain_too_long(candidate, report);
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

/// For tests of other things, and slow machines: a check takes half of the time without.
bool large_cases_are_off() {
  const char* const setting = std::getenv("KATA_LARGE_CASES");
  return setting && std::string_view(setting) == "off";
}

/// Begins to compile what judge_further will run.
FastModule compile_fast(Backend backend, const Candidate& candidate) {
  if (backend != Backend::emulator || candidate.size) return {};
  return std::async(std::launch::async,
                    [=] { return compile_candidate(candidate, backend, Build::fast); });
}

/// The job of many calls and large cases.
Job large_job(const CompiledCandidate& compiled, bool checked, const GradeRequest& request) {
  return {.kind = Job::Kind::judge_large,
          .operator_name = compiled.entry.problem->name,
          .module = compiled.module.path,
          .entry = compiled.entry.function,
          .seed = request.seed,
          .time_limit_s = case_limit_s,
          .cooperates = cooperates(request.candidate),
          .checked = checked};
}

/// Of the lines that the workers saw, those of the device: host code has its checks of errors. Adds
/// kernels that were never launched. Nothing where no lines are known.
std::vector<CodeBlock> device_code(const Candidate& candidate, const std::vector<CodeBlock>& seen) {
  std::vector<CodeBlock> result;
  if (seen.empty()) return result;
  for (const auto& [first, last, is_kernel] : emulator::device_functions(candidate.text)) {
    std::vector<CodeBlock> own;
    std::ranges::copy_if(seen, std::back_inserter(own), [&](const CodeBlock& block) {
      return first <= block.line && block.line <= last;
    });
    if (own.empty() && is_kernel) own.push_back({first, false});
    add_code(own, result);
  }
  return result;
}

/// Cases that a candidate has passed are called again, and then come large ones, without
/// instruments.
void judge_further(const CompiledCandidate& compiled, FastModule fast, const GradeRequest& request,
                   Report& report) {
  const Problem& problem = *compiled.entry.problem;
  request.say("large cases of " + shown(request.candidate.path));
  const std::set<SourceConstant> constants = constants_in(request.candidate);
  const std::vector<NearSizes> near = sizes_near_constants(problem, constants);
  const std::vector<std::vector<Shape>> near_constants = shapes_near_constants(problem, near);
  const LargeCases cases = large_cases(problem, request.seed, near_constants);
  const double own_limit_s = judging_limit_s(problem, Backend::emulator);
  const double limit_s = static_cast<double>(cases.results()) * 10 * (case_limit_s + own_limit_s);
  const auto add = [&](const Result<WorkerRun>& run) {
    if (run) {
      add_more_cases(*run, case_limit_s, report);
    } else {
      report = failed(std::move(report), run.error());
    }
  };
  const Report before = report;
  Job largest = large_job(compiled, true, request);
  largest.periods = periods_of(constants);
  largest.largest_near = largest_near(problem, near);
  std::ranges::copy(long_lists(problem, near), std::back_inserter(largest.largest_near));
  largest.past_thresholds = shapes_past_thresholds(problem, near);
  if (!near_constants.empty()) largest.near_launches = near_constants.front();
  const Result<WorkerRun> sampled =
      run_worker(Backend::emulator, largest, limit_s, own_limit_s, request.noticed);
  add(sampled);
  if (report.verdict == Verdict::fail && !has_kind(report.findings, FindingKind::timeout)) {
    // An overflow may be the cause. Looking for one takes time, and what may overflow need not be
    // wrong, as in a hash.
    const Result<CompiledCandidate> module =
        compile_candidate(request.candidate, Backend::emulator, Build::checked_overflows);
    if (!module) return;
    Report told = std::exchange(report, before);
    largest.module = module->module.path;
    add(run_worker(Backend::emulator, largest, limit_s, own_limit_s, {}));
    if (!has_kind(report.findings, FindingKind::integer_overflow)) report = std::move(told);
  }
  // Without instruments nothing sees that a kernel waits for another device: it waits for a clock.
  if (uses_devices(problem)) return;
  const Result<CompiledCandidate> module = fast.get();
  if (!module || report.verdict != Verdict::pass) return;
  Job job = large_job(*module, false, request);
  job.near_constants = near_constants;
  job.periods = largest.periods;
  add(judge_in_halves(job, problem, {middle_of(problem, cases), cases.results()}, limit_s,
                      own_limit_s, request.noticed));
  if (report.verdict != Verdict::pass ||
      std::ranges::all_of(device_code(request.candidate, report.code), &CodeBlock::ran))
    return;
  // Without instruments a race of what only large sizes reach is silent, and some blocks do not
  // show all.
  Job unreached = large_job(compiled, true, request);
  unreached.for_unreached = true;
  const int too_long = report.cases_too_long;
  add(run_worker(Backend::emulator, unreached, limit_s, own_limit_s, request.noticed));
  report.cases_too_long = too_long;
  add_code(sampled->answers.code_in_samples, report.code);
}

/// Of many numbers in a row a person does not know which is which.
void name_sizes(const Problem& problem, Report& report) {
  constexpr std::size_t many = 3;
  for (CaseResult& one : report.cases) {
    if (one.verdict == Verdict::fail && one.tested.shape.size() >= many)
      one.sizes = named_sizes(problem, one.tested.shape);
  }
}

/// None of a candidate that fails: it depends on chance how far the second worker came.
void leave_device_code(const Candidate& candidate, Report& report) {
  const std::vector<CodeBlock> seen = std::exchange(report.code, {});
  if (report.verdict == Verdict::pass) report.code = device_code(candidate, seen);
}

}  // namespace

Judged judge_candidate(Backend backend, const GradeRequest& request) {
  FastModule fast;
  const bool left_out = large_cases_are_off();
  if (request.with_large && !left_out) fast = compile_fast(backend, request.candidate);
  const std::future<void> with_zeros = compile_with_zeros(backend, request.candidate);
  Judged judged = judge_once(backend, request, Build::checked);
  judged.report.large_cases_off = backend == Backend::emulator && left_out;
  if (!judged.compiled) return judged;
  const auto judge_again = [&] {
    if (with_zeros.valid()) with_zeros.wait();
    GradeRequest quiet = request;
    quiet.progress = {};
    quiet.right_so_far = {};
    quiet.noticed = {};
    return judge_once(backend, quiet, Build::checked_zero_locals).report;
  };
  judge_uninitialized(judged.compiled->module.uninitialized, judge_again, judged.report);
  if (backend == Backend::emulator)
    add_advice(*judged.compiled, request.candidate.size.has_value(), judged.report);
  const bool is_first_answer = fast.valid() || judged.report.large_cases_off;
  if (is_first_answer && judged.report.verdict == Verdict::pass) {
    if (request.right_so_far) request.right_so_far(judged.report);
    if (fast.valid()) judge_further(*judged.compiled, std::move(fast), request, judged.report);
  }
  leave_device_code(request.candidate, judged.report);
  const EntryPoint& entry = judged.compiled->entry;
  name_sizes(*entry.problem, judged.report);
  add_parameter_names(request.candidate.text, entry.function, judged.report.findings);
  return judged;
}

}  // namespace kata
