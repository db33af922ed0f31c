// Launches that wait for each other, or for the host.
#include <fmt/format.h>

#include "emulator/runtime/check/describe.h"
#include "emulator/runtime/check/names.h"
#include "emulator/runtime/memory/devices.h"

namespace kata::emulator {
namespace {

std::string writer_of(const Polled& polled, const Circumstances& c) {
  if (!polled.writer) return "no kernel has written it";
  const StreamWork& work = *polled.writer;
  return fmt::format("{}{} wrote it last, in {}", work.name,
                     on_device(StreamOrder::instance().device_of(work.stream)),
                     line_name(work.is_kernel ? polled.write : work.place, c.incident.place));
}

/// What it looks at, as far as that is known.
std::string flag_of(const WaitsForOthers& fault, const Circumstances& c) {
  const Polled& polled = fault.polled;
  if (polled.address == 0) return "";
  const std::string value =
      polled.size == 0 ? "" : fmt::format(" (it is {})", static_cast<std::int64_t>(polled.value));
  return fmt::format(" for {}{}; {}",
                     name_of(MemoryAccess{polled.address, polled.size ? polled.size : 4, false}),
                     value, writer_of(polled, c));
}

std::string devices_name(const std::vector<int>& devices) {
  std::string names;
  for (const int device : devices) names += (names.empty() ? "" : ", ") + std::to_string(device);
  return (devices.size() == 1 ? "device " : "devices ") + names;
}

std::string host_of(const Blocked& blocked, const Circumstances& c) {
  if (blocked.host.place == Place{}) return blocked.host.name;
  return blocked.host.name + " in " + line_name(blocked.host.place, c.incident.place);
}

/// What most likely keeps it from going on.
std::string reason(const WaitsForOthers& fault, const Circumstances& c) {
  const Blocked& blocked = *fault.blocked;
  const std::string host = host_of(blocked, c);
  if (fault.not_begun > 0)
    return fmt::format("{} of the launch's {} blocks have no room on the device before others end",
                       fault.not_begun, c.launch.blocks);
  std::string text;
  for (const Blocked::Call& call : blocked.queued) {
    if (!call.same_stream) continue;
    text = fmt::format("{} ({}) waits behind it in the same stream; ", call.name,
                       line_name(call.place, c.incident.place));
    break;
  }
  if (blocked.idle_devices.empty()) return text + "the host waits in " + host;
  return fmt::format(
      "{}{} {} no launch under way, and the host waits in {}: launch on all devices "
      "before the host waits for one",
      text, devices_name(blocked.idle_devices), blocked.idle_devices.size() == 1 ? "has" : "have",
      host);
}

}  // namespace

Words describe(const WaitsForOthers& fault, const Circumstances& c) {
  std::string note = reason(fault, c);
  if (fault.not_begun == c.launch.blocks) {
    return {.kind = FindingKind::deadlock,
            .message = fmt::format("no block of {} can begin{}: launches that wait have all the "
                                   "room on the device",
                                   c.launch.name, on_device(c.launch.device)),
            .note = "the host waits in " + host_of(*fault.blocked, c)};
  }
  if (fault.polled.address == 0 && fault.not_begun == 0)
    note +=
        "; the loop reads nothing again: nvcc may move a plain read out of a loop, so read "
        "the flag as volatile or by an atomic";
  return {.kind = FindingKind::deadlock,
          .message = fmt::format("{} waits here for ever{}", c.who(), flag_of(fault, c)),
          .note = std::move(note)};
}

}  // namespace kata::emulator
