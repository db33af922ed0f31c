#include "worker/emulator/findings.h"

namespace kata {

std::vector<Finding> from_emulator(const std::vector<emulator::Finding>& findings) {
  std::vector<Finding> result;
  for (const emulator::Finding& finding : findings) {
    result.push_back(
        {.kind = emulator::to_string(finding.kind),
         .severity = finding.severity == emulator::Severity::error ? "error" : "warning",
         .file = finding.file,
         .line = finding.line,
         .kernel = finding.kernel,
         .message = finding.message});
  }
  return result;
}

}  // namespace kata
