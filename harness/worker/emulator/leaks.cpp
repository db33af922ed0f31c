#include "worker/emulator/leaks.h"

#include <fmt/format.h>

#include "emulator/emulator.h"

namespace kata {

std::vector<Finding> leaks() {
  std::vector<Finding> findings;
  for (const emulator::Leak& leak : emulator::take_leaks()) {
    if (leak.file.empty()) continue;  // the harness's own buffers
    findings.push_back(
        {.kind = "leak",
         .severity = "warning",
         .file = leak.file,
         .line = leak.line,
         .message = fmt::format("{} bytes allocated here are never freed", leak.bytes)});
  }
  return findings;
}

}  // namespace kata
