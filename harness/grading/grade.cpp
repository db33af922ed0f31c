#include "grading/grade.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <optional>

#include "grading/both_backends.h"
#include "grading/comparison.h"
#include "grading/judge_candidate.h"
#include "grading/machine_counts.h"
#include "grading/timing.h"
#include "grading/worker_report.h"
#include "support/paths.h"

namespace kata {
namespace {

Report interrupted_report(Report report) {
  return failed(std::move(report), {"interrupted"});
}

}  // namespace

void judge_as_change(GradeRequest& request) {
  request.with_large = false;
  request.strict_limit_s = 1;
}

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
    emulated = std::async(std::launch::async, judge_candidate, Backend::emulator, std::move(quiet));
  }
  auto [report, compiled] = judge_candidate(request.backend, request);
  if (emulated.valid()) add_emulated(emulated.get().report, report);
  if (!compiled) return std::move(report);
  // The time of a kernel says nothing about work that the CPU does.
  const bool is_timed = !has_kind(report.findings, FindingKind::host_computation);
  if (report.verdict == Verdict::pass) {
    // Beside the rungs a candidate is counted as they are, by the emulator's rules.
    std::vector<KernelRecord> by_rules = report.kernels;
    if (request.counts_machine_code && request.backend == Backend::emulator)
      count_machine_code(*compiled, request, report);
    if (request.passed) request.passed(report);
    std::swap(report.kernels, by_rules);
    if (request.with_ladder && is_timed) compare_with_ladder(*compiled, request, report);
    std::swap(report.kernels, by_rules);
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
    request.say("compiling " + shown(candidate.path));
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

Report bench_and_judge(const GradeRequest& request) {
  Report report = bench(request);
  const Candidate& candidate = request.candidate;
  const bool is_yours = !candidate.path.empty() && !untouched_stub_of(candidate);
  if (!is_yours || report.verdict != Verdict::pass || interrupted()) return report;
  GradeRequest usual = request;
  usual.with_large = false;
  usual.candidate.size.reset();
  const Report judged = judge_candidate(Backend::emulator, usual).report;
  if (judged.verdict != Verdict::fail) return report;
  report.verdict = Verdict::fail;
  std::ranges::copy_if(judged.findings, std::back_inserter(report.findings),
                       [](const Finding& one) { return one.severity == Severity::error; });
  return report;
}

}  // namespace kata
