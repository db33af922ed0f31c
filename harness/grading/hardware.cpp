#include "grading/hardware.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "compile/toolchain.h"
#include "grading/candidate.h"
#include "grading/estimates.h"
#include "grading/gpu.h"
#include "grading/spawn.h"
#include "grading/timing.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/temporary_folder.h"
#include "support/text.h"
#include "timing/chip.h"
#include "timing/estimate.h"
#include "timing/roof.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

constexpr double call_limit_s = 120;  // ncu repeats each launch for each group of metrics
constexpr double ncu_limit_s = 300;

Error why_ncu_failed(const Finished& finished, const std::string& said) {
  if (said.find("ERR_NVGPUCTRPERM") != std::string::npos) {
    return {
        "ncu may not read this GPU's counters (ERR_NVGPUCTRPERM): run it as root, in a container "
        "with --cap-add=SYS_ADMIN, or load the driver with "
        "NVreg_RestrictProfilingToAdminUsers=0"};
  }
  if (finished.timed_out) {
    return {fmt::format("ncu took longer than {:g} s: try a smaller --size", ncu_limit_s)};
  }
  return {"ncu measured nothing; its own words:", said.substr(0, 2000)};
}

AccessCount scaled(AccessCount count, double scale) {
  for (std::uint64_t* number :
       {&count.accesses, &count.bytes, &count.requests, &count.switched_off, &count.sectors,
        &count.ideal_sectors, &count.wavefronts, &count.conflicts, &count.turns}) {
    *number = static_cast<std::uint64_t>(static_cast<double>(*number) * scale + 0.5);
  }
  return count;
}

/// The whole launch's counts: those of the blocks that ran, times what they stand for.
KernelRecord whole_launch(const LaunchProfile& profile) {
  KernelRecord whole = profile.counts;
  const auto blocks = static_cast<double>(whole.blocks());
  const double scale = blocks / static_cast<double>(profile.blocks_run);
  for (AccessCount* count : {&whole.global_load, &whole.global_store, &whole.shared_load,
                             &whole.shared_store, &whole.atomic}) {
    *count = scaled(*count, scale);
  }
  return whole;
}

std::string without_template(const std::string& kernel) {
  return kernel.substr(0, kernel.find('<'));
}

void add_prediction(const Problem& problem, const Shape& shape, const GradeRequest& request,
                    HardwareProfile& profile) {
  const auto give_up = [&](const std::string& why) { profile.not_predicted = why; };
  const Result<Chip> chip = find_chip_of(profile.device);
  if (!chip) return give_up(chip.error().message);
  profile.roof = roof_of(*chip, problem.cost(shape).unit);
  const Result<CallToProfile> call = call_to_profile(request.candidate, *chip);
  if (!call) return give_up(call.error().message);
  const Result<std::vector<LaunchProfile>> launches = kernels_of_call(problem, shape, *call);
  if (!launches) return give_up(launches.error().message);
  const auto estimates = estimate_launches(*launches, problem.cost(shape), *chip);
  for (std::size_t i = 0; i < launches->size(); ++i) {
    const LaunchEstimate& one = estimates[i];
    profile.predicted.push_back({.counts = whole_launch((*launches)[i]),
                                 .us = 1e6 * combined(one.limiters, chip->fitted.norm),
                                 .read_bytes = one.read_bytes,
                                 .written_bytes = one.written_bytes,
                                 .occupancy = one.occupancy});
  }
  const bool same = std::equal(profile.predicted.begin(), profile.predicted.end(),
                               profile.launches.begin(), profile.launches.end(),
                               [](const PredictedLaunch& predicted, const MeasuredLaunch& launch) {
                                 return without_template(predicted.counts.name) == launch.kernel;
                               });
  if (same) return;
  give_up(fmt::format("the emulator has {} launches, ncu {}, or others", profile.predicted.size(),
                      profile.launches.size()));
  profile.predicted.clear();
}

}  // namespace

Result<std::vector<MeasuredLaunch>> run_ncu(const fs::path& ncu, const fs::path& worker,
                                            const Job& job) {
  const TemporaryFolder exchange;
  const fs::path job_file = exchange.path() / "job.json", log = exchange.path() / "ncu.csv",
                 answers_file = exchange.path() / "answers";
  if (const std::string failed = write_file(job_file, to_json_text(job)); !failed.empty()) {
    return Error{"cannot write a job for ncu: " + failed};
  }
  // The worker's descriptors go by files: whether ncu hands its own on is not said anywhere.
  const Result<Finished> finished =
      run({.arguments = {ncu,
                         "--clock-control",
                         "none",
                         "--target-processes",
                         "all",
                         "--csv",
                         "--page",
                         "raw",
                         "--print-units",
                         "base",
                         "--log-file",
                         log,
                         "--metrics",
                         fmt::format("{}", fmt::join(ncu_metrics(), ",")),
                         "sh",
                         "-c",
                         "exec \"$0\" <\"$1\" 3>\"$2\"",
                         worker,
                         job_file,
                         answers_file},
           .time_limit_s = ncu_limit_s});
  if (!finished) return finished.error();
  if (finished->interrupted) return Error{"interrupted"};

  WorkerRun worker_run{.answers = {}, .process = *finished};
  for (const std::string& line : lines_of(read_file(answers_file).value_or("")))
    worker_run.answers.read(line);
  const std::string table = read_file(log).value_or("");
  std::vector<MeasuredLaunch> launches = launches_from_ncu(table);
  const std::string said = table + finished->errors + finished->output;
  if (said.find("ERR_NVGPUCTRPERM") != std::string::npos) return why_ncu_failed(*finished, said);
  if (worker_run.answers.error) return *worker_run.answers.error;
  if (launches.empty()) return why_ncu_failed(*finished, said);
  if (!worker_run.answers.done) return Error{cause_of_death(worker_run, job.time_limit_s).message};
  return launches;
}

Result<HardwareProfile> profile_on_gpu(const GradeRequest& request) {
  const fs::path ncu = find_cuda_tool("ncu");
  if (ncu.empty()) {
    return Error{
        "there is no ncu: install Nsight Compute (package nsight-compute, or with the CUDA "
        "Toolkit) and put it into PATH"};
  }
  if (!gpu()) return gpu().error();
  const auto say = [&](const std::string& what) {
    if (request.progress) request.progress(what);
  };
  const Candidate& candidate = request.candidate;
  say("compiling " + shown(candidate.path));
  const Result<CompiledCandidate> compiled = compile_candidate(candidate, Backend::gpu);
  if (!compiled) return compiled.error();
  const Problem& problem = *compiled->entry.problem;
  const Shape shape = candidate.size ? *candidate.size : problem.bench_shapes.at(0);

  say("profiling with ncu");
  const Job job{.kind = Job::Kind::profile,
                .operator_name = problem.name,
                .module = compiled->module.path,
                .entry = compiled->entry.function,
                .time_limit_s = call_limit_s,
                .shapes = {shape}};
  Result<std::vector<MeasuredLaunch>> launches = run_ncu(ncu, worker_program(Backend::gpu), job);
  if (!launches) return launches.error();
  const Cost cost = problem.cost(shape);
  HardwareProfile profile{.operator_name = problem.name,
                          .candidate = shown(candidate.path),
                          .size = to_string(shape),
                          .device = gpu()->name,
                          .launches = std::move(*launches),
                          .operations = roofline_operations(problem, shape),
                          .least_bytes = cost.bytes_read + cost.bytes_written};
  say("predicting in the emulator");
  add_prediction(problem, shape, request, profile);
  return profile;
}

}  // namespace kata
