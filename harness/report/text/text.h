#pragma once
// The report as a person reads it in a terminal of 80 columns.

#include <string>

#include "report/report.h"

namespace kata {

struct TextOptions {
  bool color = false;
  bool verbose = false;  ///< every case and every row of the tables
  bool lines = false;    ///< the source with what each line asks of memory
  bool output = false;   ///< all that the candidate printed, not only how much
  /// Lines of the terminal, which the text should fit, with its lines broken at words. 0: it is
  /// read by a program, so every finding is shown, and its place and message are one line.
  std::size_t rows = 0;
};

/// What went wrong and where, the cases, the ladder, and last the verdict with the next thing to
/// do. Ends with a newline.
std::string to_text(const Report& report, const TextOptions& options = {});

/// Its parts in their order, for a person who need not wait for the ladder to learn what is wrong.
std::string result_text(const Report& report, const TextOptions& options = {});
/// "10 of 10 cases right, and right at large sizes", or "1 of 10 cases right, 7 not run after 2
/// wrong. Wrong: 3 normal; 255 normal".
std::string cases_text(const Report& report);
/// What has come to a result that was shown when it had so many cases, all right.
std::string more_cases_text(const Report& report, std::size_t shown,
                            const TextOptions& options = {});
std::string ladder_text(const Report& report, const TextOptions& options = {});
std::string verdict_text(const Report& report, const TextOptions& options = {});
std::string next_step_text(const Report& report);

/// What is wrong, nearest to the cause first; each finding with the line that it is about. Empty if
/// there is nothing; else ends with an empty line.
std::string findings_text(const Report& report, const TextOptions& options = {});

/// What would make its kernels faster; the same otherwise.
std::string advice_text(const Report& report, const TextOptions& options = {});

}  // namespace kata
