#include "worker/emulator/leaks.h"

#include <fmt/format.h>

#include "emulator/emulator.h"

namespace kata {

namespace {

std::string words_of(const emulator::Leak& leak) {
  if (leak.textures == 0) return fmt::format("{} bytes allocated here are never freed", leak.bytes);
  return leak.textures == 1
             ? "the texture created here is never destroyed"
             : fmt::format("{} textures created here are never destroyed", leak.textures);
}

}  // namespace

std::vector<Finding> leaks() {
  std::vector<Finding> findings;
  for (const emulator::Leak& leak : emulator::take_leaks()) {
    if (leak.file.empty()) continue;  // the harness's own buffers
    findings.push_back({.kind = FindingKind::leak,
                        .severity = Severity::warning,
                        .file = leak.file,
                        .line = leak.line,
                        .message = words_of(leak)});
  }
  return findings;
}

}  // namespace kata
