#include "worker/emulator/findings.h"

namespace kata {
namespace {

FindingKind kind_of(emulator::FindingKind kind) {
  switch (kind) {
    case emulator::FindingKind::integer_overflow:
      return FindingKind::integer_overflow;
    case emulator::FindingKind::race:
      return FindingKind::race;
    case emulator::FindingKind::out_of_bounds:
      return FindingKind::out_of_bounds;
    case emulator::FindingKind::uninitialized:
      return FindingKind::uninitialized;
    case emulator::FindingKind::barrier_divergence:
      return FindingKind::barrier_divergence;
    case emulator::FindingKind::deadlock:
      return FindingKind::deadlock;
    case emulator::FindingKind::misaligned:
      return FindingKind::misaligned;
    case emulator::FindingKind::invalid_launch:
      return FindingKind::invalid_launch;
    case emulator::FindingKind::cuda_error:
      return FindingKind::cuda_error;
    case emulator::FindingKind::input_modified:
      return FindingKind::input_modified;
    case emulator::FindingKind::unsupported:
      return FindingKind::unsupported;
    case emulator::FindingKind::timeout:
      return FindingKind::timeout;
  }
  return FindingKind::crash;
}

Severity severity_of(emulator::Severity severity) {
  return severity == emulator::Severity::error ? Severity::error : Severity::warning;
}

}  // namespace

std::vector<Finding> from_emulator(const std::vector<emulator::Finding>& findings) {
  std::vector<Finding> result;
  for (const emulator::Finding& finding : findings) {
    result.push_back({.kind = kind_of(finding.kind),
                      .severity = severity_of(finding.severity),
                      .file = finding.file,
                      .line = finding.line,
                      .kernel = finding.kernel,
                      .message = finding.message,
                      .note = finding.note,
                      .object = finding.object});
  }
  return result;
}

}  // namespace kata
