#pragma once
// The ladder's tables: times on a GPU; counts and estimates without one.

#include <string>
#include <vector>

#include "report/report.h"

namespace kata {

/// The ladder beside yours, as a report has it: times, else estimates, else counts. `all`: all of
/// these, with every rung; else, for a bench at several sizes, one row for each.
std::string ladder_tables(const Report& report, bool color, bool all);

/// The three kinds of table; each is empty where the report has no such numbers. Without `all` they
/// have the rows of yours, the best rung, the rungs that you are level with (marked "="; one, if
/// there are many), the libraries and the limit.
std::string timing_tables(const Report& report, bool color, bool all);
std::string estimates_tables(const Report& report, bool color, bool all);
std::string counts_table(const Report& report, bool color, bool all);

inline constexpr std::size_t name_columns = 24;

/// Which rows of a table are shown, and how each begins.
class RowChoice {
 public:
  /// `best`: the name of the best rung; empty if there is none.
  RowChoice(const Report& report, std::string best, bool all);
  bool shows(RowKind kind, const std::string& name) const;
  /// "  yours                   ": 26 columns, with the mark of a rung that you are level with.
  std::string label(RowKind kind, const std::string& name) const;

 private:
  bool is_level(RowKind kind, const std::string& name) const;

  std::vector<std::string> level_;  ///< the rungs that are level with yours; of many, one
  std::string best_;
  bool all_;
};

/// The label with words beside it, broken over lines.
std::string labelled_words(const std::string& label, const std::string& words);

}  // namespace kata
