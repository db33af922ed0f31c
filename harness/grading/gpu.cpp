#include "grading/gpu.h"

#include <fmt/format.h>

#include "grading/spawn.h"

namespace kata {
namespace {

constexpr double probe_limit_s = 60;  // the first use after a boot may take many seconds

Result<GpuInfo> ask() {
  const Job job{.kind = Job::Kind::probe, .time_limit_s = probe_limit_s};
  const Result<WorkerRun> run = run_worker(Backend::gpu, job, probe_limit_s);
  if (!run) {
    return Error{"there is no GPU backend: this kata was built without a CUDA Toolkit"};
  }
  if (run->answers.error) return *run->answers.error;
  if (run->answers.gpu) return *run->answers.gpu;
  return Error{"the GPU worker did not answer: " + cause_of_death(*run, probe_limit_s).message,
               output_of(run->process)};
}

}  // namespace

const Result<GpuInfo>& gpu() {
  static const Result<GpuInfo> info = ask();
  return info;
}

std::string compute_capability() {
  const Result<GpuInfo>& info = gpu();
  return info ? fmt::format("{}.{}", info->major, info->minor) : "";
}

}  // namespace kata
