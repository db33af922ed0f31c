#include "worker/emulator/leaks.h"

#include <fmt/format.h>

#include "emulator/emulator.h"

namespace kata {

namespace {

using emulator::ObjectKind;

std::string words_of(const emulator::Leak& leak) {
  if (leak.kind == ObjectKind::memory)
    return fmt::format("{} bytes allocated here are never freed", leak.count);
  const std::string name = leak.kind == ObjectKind::texture   ? "texture"
                           : leak.kind == ObjectKind::surface ? "surface"
                           : leak.kind == ObjectKind::array   ? "array"
                           : leak.kind == ObjectKind::stream  ? "stream"
                           : leak.kind == ObjectKind::event   ? "event"
                           : leak.kind == ObjectKind::graph   ? "graph"
                                                              : "executable graph";
  return leak.count == 1 ? fmt::format("the {} created here is never destroyed", name)
                         : fmt::format("{} {}s created here are never destroyed", leak.count, name);
}

/// Lost memory may be missed by somebody; of the other things a program has few.
Severity severity_of(const emulator::Leak& leak) {
  return leak.kind == ObjectKind::stream || leak.kind == ObjectKind::event ? Severity::advice
                                                                           : Severity::warning;
}

}  // namespace

void add_leaks(std::vector<Finding>& findings) {
  const std::vector<emulator::Leak> found = emulator::take_leaks();
  for (const FindingKind kind : {FindingKind::timeout, FindingKind::deadlock, FindingKind::crash})
    if (has_kind(findings, kind)) return;
  for (const emulator::Leak& leak : found) {
    if (leak.file.empty()) continue;  // the harness's own buffers
    findings.push_back({.kind = FindingKind::leak,
                        .severity = severity_of(leak),
                        .file = leak.file,
                        .line = leak.line,
                        .message = words_of(leak)});
  }
}

}  // namespace kata
