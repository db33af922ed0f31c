#pragma once
// The life of a worker process, the same on every backend: read the job, load the module, judge or
// time, answer. A backend's main() is one call of serve().

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/device.h"
#include "report/profile.h"
#include "support/result.h"
#include "worker/job.h"
#include "worker/signals.h"

namespace kata {

/// What the timing function reports while it works.
struct TimeEvents {
  /// Called when a kernel's turn begins: restarts the watchdog (Job::time_limit_s) and names the
  /// kernel for the report, in case it dies.
  std::function<void(const std::string& what)> turn;

  /// Called when the worker goes on alone, such as to draw inputs: no time of a kernel's.
  std::function<void()> ended;
  std::function<void(const TimingRow&)> row;
};

/// What a backend supplies.
struct WorkerBackend {
  /// Opens the device; called once, before the module is loaded. An Error where there is none.
  std::function<Result<std::unique_ptr<Device>>(const Job&)> open_device;

  /// For the handlers of signals.
  CodeOfCandidate code = {};

  /// The lines of the file that holds this function, and which have run. Empty on a backend that
  /// does not know.
  std::function<std::vector<CodeBlock>(const void* function)> lines = {};

  /// Kind::time: times the job's kernels (load_entry). Empty on a backend without a reliable clock.
  std::function<std::optional<Error>(const Job&, const Problem&, const TimeEvents&)> time = {};

  /// Kind::profile: what the launches of one call did. Empty on a backend that cannot profile.
  std::function<Result<std::vector<LaunchProfile>>(const Job&, const Problem&)> profile = {};

  /// Kind::probe.
  std::function<Result<GpuInfo>()> probe = {};

  /// Kind::run: becomes the program, writes answers to the descriptor, and never returns. Standard
  /// input is still kata's. Empty on a backend that runs no programs.
  std::function<void(const Job&, int answer_descriptor)> run = {};
};

/// Does the job on standard input, writes the answers to descriptor 3, and ends the process with
/// status 0, also if the answers report a failure. Returns 2 if it was not started by kata.
int serve(const WorkerBackend& backend);

/// Loads a module (RTLD_NOW, RTLD_LOCAL) and finds its entry function.
Result<void*> load_entry(const std::filesystem::path& module, const std::string& entry);

}  // namespace kata
