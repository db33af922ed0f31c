#include "grading/both_backends.h"

#include <algorithm>
#include <vector>

namespace kata {
namespace {

/// What ends the emulator's run may be a limit of the emulator's; what the GPU ran counts then.
bool is_end_of_run(const Finding& finding) {
  return finding.kind == FindingKind::crash || finding.kind == FindingKind::timeout ||
         finding.kind == FindingKind::unsupported;
}

/// A case that failed on the emulator because of a finding has failed.
void take_failed_cases(const Report& emulated, Report& report) {
  for (const CaseResult& one : emulated.cases) {
    if (one.verdict != Verdict::fail) continue;
    const auto same = std::find_if(report.cases.begin(), report.cases.end(),
                                   [&](const CaseResult& other) { return other.name == one.name; });
    if (same == report.cases.end()) {
      report.cases.push_back(one);
    } else {
      *same = one;
    }
  }
}

}  // namespace

void add_emulated(const Report& emulated, Report& report) {
  report.backend = "both";
  if (emulated.verdict == Verdict::error) return;
  std::vector<Finding> found = emulated.findings;
  std::erase_if(found, is_end_of_run);
  if (report.verdict == Verdict::pass && first_error(found)) {
    report.verdict = Verdict::fail;
    take_failed_cases(emulated, report);
  }
  for (const Finding& one : found) {
    std::erase_if(report.findings, [&](const Finding& other) {  // the emulator's has a line
      return other.kind == one.kind && (other.line == 0 || other.line == one.line);
    });
    report.findings.push_back(one);
  }
  report.code = emulated.code;
  report.counted_case = emulated.counted_case;
  report.counted_shape = emulated.counted_shape;
  report.kernels = emulated.kernels;
  report.least_bytes = emulated.least_bytes;
  report.output_elements = emulated.output_elements;
}

}  // namespace kata
