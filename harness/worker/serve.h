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

namespace kata {

/// What the timing function tells while it works.
struct TimeEvents {
  /// A kernel's turn begins: names it for the report, should it die, and restarts the watchdog
  /// (Job::time_limit_s).
  std::function<void(const std::string& what)> turn;
  std::function<void(const TimingRow&)> row;
};

/// What a backend supplies.
struct WorkerBackend {
  /// Opens the device; called once, before the module is loaded. An Error where there is none.
  std::function<Result<std::unique_ptr<Device>>(const Job&)> open_device;

  /// "file:line" of a code address in a loaded module, or empty. Called after a crash. May be null.
  std::string (*locate)(const void* code_address) = nullptr;

  /// Kind::time: times the job's kernels (load_entry). Empty where there is no clock to trust.
  std::function<std::optional<Error>(const Job&, const Problem&, const TimeEvents&)> time = {};

  /// Kind::profile: what the launches of one call did. Empty where nothing can tell.
  std::function<Result<std::vector<LaunchProfile>>(const Job&, const Problem&)> profile = {};

  /// Kind::probe.
  std::function<Result<GpuInfo>()> probe = {};

  /// Kind::run: becomes the program, tells the answers' descriptor what is to be told, and never
  /// comes back. Standard input is still kata's. Empty on a backend that runs no programs.
  std::function<void(const Job&, int answer_descriptor)> run = {};
};

/// Does the job that standard input holds and writes the answers to descriptor 3, then ends the
/// process with status 0, whatever the answers say. Returns 2 if it was not started by kata.
int serve(const WorkerBackend& backend);

/// Loads a module (RTLD_NOW, RTLD_LOCAL) and finds its entry function.
Result<void*> load_entry(const std::filesystem::path& module, const std::string& entry);

}  // namespace kata
