#pragma once
// The report as a person reads it in a terminal of 80 columns.

#include <string>

#include "report/report.h"

namespace kata {

struct TextOptions {
  bool color = false;
  bool brief = false;  ///< the first finding, and how many cases are right: fits one screen
  bool lines = false;  ///< the source with what each line asks of memory, after the verdict
};

/// Verdict, what went wrong and where, cases, table, and the next thing to do. Ends with a newline.
std::string to_text(const Report& report, const TextOptions& options = {});

/// The findings alone, nearest to the cause first, each with the line that it is about. Empty if
/// there are none; else ends with an empty line.
std::string findings_text(const Report& report, const TextOptions& options = {});

/// What would make its kernels faster; the same otherwise.
std::string advice_text(const Report& report, const TextOptions& options = {});

/// The same in two parts, for a person who need not wait for the table to learn the verdict.
std::string verdict_text(const Report& report, const TextOptions& options = {});
std::string ladder_text(const Report& report, const TextOptions& options = {});

}  // namespace kata
