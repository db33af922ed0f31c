#pragma once
#include <cmath>
#include <limits>

#include "report/report.h"

namespace kata::test {

/// A report with a failing case, cases not run and two findings.
inline Report failing() {
  Report report;
  report.operator_name = "softmax_rows";
  report.candidate = "mine.cu";
  report.backend = "emulator";
  report.device = "emulator";
  report.verdict = Verdict::fail;
  report.seed = 42;
  report.cases = {{.name = "1x1 normal"},
                  {.name = "17x1023 sorted",
                   .tested = {{17, 1023}, Values::sorted, {2.0f}},
                   .verdict = Verdict::fail,
                   .max_error = std::numeric_limits<double>::quiet_NaN(),
                   .tolerance = 2.1e-6,
                   .first_bad = FirstBad{{4, 1020}, "y[4][1020]", "y", std::nan(""), 0.00123},
                   .bad = 51,
                   .of = 17391,
                   .explanation = "part of y was never written: columns 1020 to 1022",
                   .explanation_kind = ExplanationKind::pattern}};
  report.cases_not_run = 3;
  report.findings = {
      {.kind = FindingKind::leak, .severity = Severity::warning, .message = "40 bytes"},
      {.kind = FindingKind::out_of_bounds,
       .file = "nowhere.cu",
       .line = 31,
       .kernel = "softmax_kernel",
       .message = "read of x[1023] is past its end"}};
  return report;
}

}  // namespace kata::test
