#include "emulator/runtime/check/messages.h"

#include <fmt/format.h>

#include "emulator/runtime/check/describe.h"
#include "emulator/runtime/check/names.h"
#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/memory/locate.h"

namespace kata::emulator {

std::string Circumstances::who() const {
  return fmt::format("thread {} of block {}{}", thread_name(launch, incident.thread),
                     block_name(launch, incident.block), on_device(launch.device));
}

Words describe(const GridSyncNotCooperative&, const Circumstances&) {
  return {.kind = FindingKind::invalid_launch,
          .message = "grid.sync() needs all blocks of the grid on the device at once",
          .note = "launch the kernel with cudaLaunchCooperativeKernel"};
}

Words describe(const SharedTooLarge& fault, const Circumstances&) {
  return {
      .kind = FindingKind::invalid_launch,
      .message = fmt::format("{} bytes of static and dynamic shared memory, but a block of this "
                             "kernel may have at most {}",
                             fault.bytes, fault.limit),
      .note =
          "nvcc rejects more than 49152 bytes of static __shared__ memory; more has to be "
          "dynamic (extern __shared__) and allowed with cudaFuncSetAttribute"};
}

Words describe(const BlockBeyondBounds& fault, const Circumstances&) {
  return {
      .kind = FindingKind::invalid_launch,
      .message = fmt::format("a block of {} threads, but the kernel's __launch_bounds__ allows {}",
                             fault.threads, fault.bound),
      .note = "launch smaller blocks, or raise the bound: the device refuses this launch"};
}

Words describe(const Unsupported& fault, const Circumstances&) {
  return {FindingKind::unsupported, fmt::format("the emulator does not have {}", fault.what)};
}

Words describe(const Trapped&, const Circumstances&) {
  return {FindingKind::cuda_error, "the kernel ended itself with __trap()"};
}

Words describe(const AssertionFailed& fault, const Circumstances&) {
  return {FindingKind::cuda_error, fmt::format("assert({}) failed", fault.condition)};
}

Words describe(const Timeout&, const Circumstances& c) {
  return {.kind = FindingKind::timeout,
          .message = c.who() +
                     " is still running here after far more work than expected: the launch is "
                     "stopped",
          .note = "does this loop ever end?"};
}

namespace {

/// The finding is at the later of a race's two lines: what is missing belongs before it.
Incident at_later_line(Incident incident) {
  const auto* race = std::get_if<Race>(&incident.fault);
  if (!race) return incident;
  const SourceLine line = source_line(incident.place), other = source_line(race->other.place);
  if (line.file == other.file && line.line < other.line) swap_sides(incident);
  return incident;
}

Words words_of(const Incident& incident, const Launch* launch) {
  const auto words = [&](const auto& fault) {
    if constexpr (std::is_same_v<decltype(fault), const IntegerOverflow&> ||
                  std::is_same_v<decltype(fault), const HostAccess&> ||
                  std::is_same_v<decltype(fault), const LibraryAccess&> ||
                  std::is_same_v<decltype(fault), const HostRace&>) {
      return describe(fault);
    } else {
      return describe(fault, Circumstances{incident, *launch});
    }
  };
  return std::visit(words, incident.fault);
}

}  // namespace

Finding finding_of(const Incident& seen, const Launch* launch) {
  const Incident incident = at_later_line(seen);
  Words words = words_of(incident, launch);
  SourceLine line = source_line(incident.place);
  if (const std::string path = path_in_library(line.file); launch && !path.empty()) {
    words.note = "in " + path + ":" + std::to_string(line.line) + ", which is called here";
    line = {launch->config.file, launch->config.line};
  }
  if (const SourceLine caller = caller_line(incident.place); caller.line) {
    const std::string called = "called from " + line_name(caller, line);
    words.note = words.note.empty() ? called : called + "; " + words.note;
  }
  return {.kind = words.kind,
          .severity = words.severity,
          .file = line.file,
          .line = line.line,
          .kernel = launch ? launch->name : "",
          .message = std::move(words.message),
          .note = std::move(words.note),
          .object = std::move(words.object)};
}

}  // namespace kata::emulator
